//! The plot: searches finished and the rate of messages, by the number of users.
//!
//! In: trials. Out: SVG. Limits: bars side by side, a group for each number of users; colours that also print
//! well.

use super::trial::{Case, Trial};
use crate::svg::Svg;

const WIDTH: f64 = 860.0;
const PANEL_HEIGHT: f64 = 220.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 46.0;
/// Height between the panels, for the labels of the upper one.
const GAP: f64 = 70.0;
const COLOURS: [(&str, Case); 2] = [("#2b6cb0", Case::Tokens), ("#c05621", Case::Wildcard)];

/// One panel.
struct Panel<'a> {
    title: String,
    top: f64,
    figure: &'a dyn Fn(&Trial) -> f64,
    /// A horizontal line.
    level: Option<f64>,
}

/// Draws both panels.
pub(super) fn draw(trials: &[Trial], rate: f64, seconds: u64) -> String {
    let height = TOP + 2.0 * PANEL_HEIGHT + GAP + 60.0;
    let mut svg = Svg::new(WIDTH, height);
    let panels = [
        Panel {
            title: format!("searches finished in {seconds} s"),
            top: TOP,
            figure: &|trial| trial.searches as f64,
            level: None,
        },
        Panel {
            title: "messages a second found, and sent (line)".into(),
            top: TOP + PANEL_HEIGHT + GAP,
            figure: &|trial| trial.rate,
            level: Some(rate),
        },
    ];
    panels.iter().for_each(|panel| draw_panel(&mut svg, panel, trials));
    for (number, (colour, case)) in COLOURS.iter().enumerate() {
        let (x, y) = (LEFT + number as f64 * 180.0, height - 18.0);
        svg.bar(x, y - 11.0, 12.0, 12.0, colour);
        svg.text(x + 18.0, y, "start", case.name());
    }
    svg.finish()
}

fn draw_panel(svg: &mut Svg, panel: &Panel<'_>, trials: &[Trial]) {
    let most = trials.iter().map(panel.figure).chain(panel.level).fold(0.0, f64::max);
    let step = round_step(most / 4.0);
    let marks = (most / step).ceil().max(1.0);
    let bottom = panel.top + PANEL_HEIGHT;
    let y = |value: f64| bottom - value / (marks * step) * PANEL_HEIGHT;
    let right = WIDTH - RIGHT;
    svg.text(LEFT, panel.top - 14.0, "start", &panel.title).bold();
    for value in (0..=marks as usize).map(|mark| mark as f64 * step) {
        svg.line((LEFT, y(value)), (right, y(value)), "#ddd", "");
        svg.text(LEFT - 8.0, y(value) + 4.0, "end", &value.to_string());
    }
    draw_bars(svg, trials, bottom, &|trial| y((panel.figure)(trial)));
    if let Some(at) = panel.level.map(y) {
        svg.line((LEFT, at), (right, at), "#222", "6 4");
    }
}

/// A group of bars for each number of users.
fn draw_bars(svg: &mut Svg, trials: &[Trial], bottom: f64, y: &dyn Fn(&Trial) -> f64) {
    let mut groups: Vec<usize> = trials.iter().map(|trial| trial.users).collect();
    groups.sort_unstable();
    groups.dedup();
    let group_width = (WIDTH - LEFT - RIGHT) / groups.len().max(1) as f64;
    let step = group_width * 0.7 / COLOURS.len() as f64;
    for (place, users) in groups.iter().enumerate() {
        let left = LEFT + place as f64 * group_width;
        for (number, (colour, case)) in COLOURS.iter().enumerate() {
            let trial = trials.iter().find(|trial| trial.users == *users && trial.case == *case);
            let Some(at) = trial.map(y) else { continue };
            let x = left + group_width * 0.15 + number as f64 * step;
            svg.bar(x, at, step - 2.0, bottom - at, colour);
        }
        let noun = if *users == 1 { "user" } else { "users" };
        svg.text(left + group_width / 2.0, bottom + 18.0, "middle", &format!("{users} {noun}"));
    }
}

/// Returns 1, 2 or 5 times a power of ten, at least `least`.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.max(1.0).log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|times| times * power).into_iter().find(|step| *step >= least).unwrap_or(power)
}
