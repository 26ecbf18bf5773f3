//! The plot: searches finished and the rate of messages, by the number of users.
//!
//! In: trials. Out: SVG. Limits: bars beside each other, a group for each number of users; colours that print, too.

use super::{Case, Trial};
use std::fmt::Write as _;

const WIDTH: f64 = 860.0;
const PANEL_HEIGHT: f64 = 220.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 46.0;
/// Between the panels, for the labels of the upper one.
const GAP: f64 = 70.0;
const COLOURS: [(&str, Case); 2] = [("#2b6cb0", Case::Tokens), ("#c05621", Case::Wildcard)];

/// One panel.
struct Panel<'a> {
    title: String,
    top: f64,
    figure: &'a dyn Fn(&Trial) -> f64,
    /// A line across.
    level: Option<f64>,
}

/// Draws both panels.
pub(super) fn draw(trials: &[Trial], rate: f64, seconds: u64) -> String {
    let height = TOP + 2.0 * PANEL_HEIGHT + GAP + 60.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>\n"
    );
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
        add(
            &mut svg,
            format_args!("<rect x=\"{x}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{colour}\"/>", y - 11.0),
        );
        add(&mut svg, format_args!("<text x=\"{}\" y=\"{y}\">{}</text>", x + 18.0, case.name()));
    }
    svg.push_str("</svg>\n");
    svg
}

fn draw_panel(svg: &mut String, panel: &Panel<'_>, trials: &[Trial]) {
    let most = trials.iter().map(panel.figure).chain(panel.level).fold(0.0, f64::max);
    let step = round_step(most / 4.0);
    let marks = (most / step).ceil().max(1.0);
    let bottom = panel.top + PANEL_HEIGHT;
    let y = |value: f64| bottom - value / (marks * step) * PANEL_HEIGHT;
    let (title, above, right) = (&panel.title, panel.top - 14.0, WIDTH - RIGHT);
    add(svg, format_args!("<text x=\"{LEFT}\" y=\"{above}\" font-weight=\"bold\">{title}</text>"));
    for value in (0..=marks as usize).map(|mark| mark as f64 * step) {
        let (at, label, left) = (y(value), y(value) + 4.0, LEFT - 8.0);
        add(svg, format_args!("<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#ddd\"/>"));
        add(svg, format_args!("<text x=\"{left}\" y=\"{label:.1}\" text-anchor=\"end\">{value}</text>"));
    }
    draw_bars(svg, trials, bottom, &|trial| y((panel.figure)(trial)));
    if let Some(at) = panel.level.map(y) {
        let dashes = "stroke=\"#222\" stroke-dasharray=\"6 4\"";
        add(svg, format_args!("<path d=\"M{LEFT} {at:.1}H{right}\" {dashes}/>"));
    }
}

/// A group of bars for each number of users.
fn draw_bars(svg: &mut String, trials: &[Trial], bottom: f64, y: &dyn Fn(&Trial) -> f64) {
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
            let (width, height) = (step - 2.0, bottom - at);
            add(
                svg,
                format_args!(
                    "<rect x=\"{x:.1}\" y=\"{at:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{colour}\"/>"
                ),
            );
        }
        let (middle, below) = (left + group_width / 2.0, bottom + 18.0);
        let noun = if *users == 1 { "user" } else { "users" };
        add(
            svg,
            format_args!(
                "<text x=\"{middle:.1}\" y=\"{below}\" text-anchor=\"middle\">{users} {noun}</text>"
            ),
        );
    }
}

/// 1, 2 or 5 times a power of ten, at least so much.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.max(1.0).log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|times| times * power).into_iter().find(|step| *step >= least).unwrap_or(power)
}

fn add(svg: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(svg, "{line}");
}
