//! The plot of the rows: how many times the best rival's rate each server reaches.
//!
//! In: medians of every row. Out: SVG, a group of bars for each row: ours, the best of each rival, and a mark
//! at the rate of copying alone. Limits: draws the rates of one run only; figures of different runs cannot be
//! compared, their ratios can.

use super::{
    row::Row,
    table::{Measured, best_rate},
};
use crate::svg::Svg;

const WIDTH: f64 = 860.0;
/// Width left of the bars, for the titles.
const LEFT: f64 = 190.0;
/// Width right of the longest bar, for its figures.
const RIGHT: f64 = 190.0;
const TOP: f64 = 40.0;
const BAR: f64 = 15.0;
/// Height between two rows.
const GAP: f64 = 16.0;
const OURS: &str = "#2b6cb0";
const RIVAL: &str = "#a0aec0";

/// A row and its medians, as they are drawn.
pub(crate) struct Group {
    pub(crate) row: Row,
    pub(crate) medians: Vec<Measured>,
}

/// Draws the rows that have a rival.
pub(crate) fn draw(groups: &[Group]) -> String {
    let groups: Vec<(&Group, Vec<&Measured>)> =
        groups.iter().map(|group| (group, bars(&group.medians))).filter(|(_, bars)| bars.len() > 1).collect();
    let rows: f64 = groups.iter().map(|(_, bars)| bars.len() as f64 * BAR + GAP).sum();
    let times = |group: &Group, one: &Measured| one.outcome.rate / best_rate(&group.medians);
    let longest = groups.iter().flat_map(|(group, bars)| bars.iter().map(|one| times(group, one)));
    let scale = (WIDTH - LEFT - RIGHT) / longest.fold(1.0, f64::max);
    let mut svg = Svg::new(WIDTH, TOP + rows + 10.0);
    svg.text(LEFT, 22.0, "start", "rate to the best rival's of the same run").bold();
    let mut y = TOP;
    for (group, bars) in &groups {
        let height = bars.len() as f64 * BAR;
        svg.text(LEFT - 12.0, y + height / 2.0 + 5.0, "end", group.row.name());
        for (number, one) in bars.iter().enumerate() {
            let top = y + number as f64 * BAR;
            let width = times(group, one) * scale;
            svg.bar(LEFT, top, width, BAR - 2.0, if one.is_rival() { RIVAL } else { OURS });
            let label =
                format!("{} {:.2} M/s, {:.2} us", one.family, one.outcome.rate / 1e6, one.outcome.cpu_us);
            svg.text(LEFT + width + 6.0, top + BAR - 4.0, "start", &label).small();
        }
        if let Some(floor) = group.medians.iter().find(|one| one.family == "copy") {
            let x = LEFT + times(group, floor) * scale;
            if x <= WIDTH - 10.0 {
                svg.line((x, y - 3.0), (x, y + height + 1.0), "#222", "3 3");
            }
        }
        y += height + GAP;
    }
    svg.finish()
}

/// Duramen, then the best variant of each rival.
fn bars(medians: &[Measured]) -> Vec<&Measured> {
    let mut best: Vec<&Measured> = Vec::new();
    for one in medians.iter().filter(|one| one.family != "copy") {
        match best.iter_mut().find(|known| known.family == one.family) {
            Some(known) if known.outcome.rate < one.outcome.rate => *known = one,
            Some(_) => {}
            None => best.push(one),
        }
    }
    best
}
