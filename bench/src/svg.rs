//! Pictures of bars, lines and words.
//!
//! In: shapes by coordinates. Out: SVG on white, in colours that also print well.

use std::fmt::Write as _;

/// A picture being drawn.
pub(crate) struct Svg {
    text: String,
}

/// A text whose style can still be changed.
pub(crate) struct Words<'a> {
    text: &'a mut String,
}

impl Svg {
    /// An empty picture.
    pub(crate) fn new(width: f64, height: f64) -> Svg {
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
        );
        Svg { text }
    }

    /// A filled rectangle.
    pub(crate) fn bar(&mut self, x: f64, y: f64, width: f64, height: f64, colour: &str) {
        self.add(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{colour}\"/>"
        ));
    }

    /// A line; `dashes` of SVG, or nothing.
    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, dashes: &str) {
        let ((x, y), (to_x, to_y)) = (from, to);
        self.add(format_args!(
            "<path d=\"M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}\" stroke=\"{colour}\" stroke-dasharray=\"{dashes}\"/>"
        ));
    }

    /// Writes words at a position, which is their `start`, `middle` or `end`.
    pub(crate) fn text(&mut self, x: f64, y: f64, anchor: &str, words: &str) -> Words<'_> {
        let words = words.replace('&', "&amp;").replace('<', "&lt;");
        self.add(format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>"));
        Words { text: &mut self.text }
    }

    /// Returns the complete plot.
    pub(crate) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    fn add(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{line}");
    }
}

impl Words<'_> {
    /// In bold.
    pub(crate) fn bold(self) {
        self.with(" font-weight=\"bold\"");
    }

    /// Smaller than others.
    pub(crate) fn small(self) {
        self.with(" font-size=\"11\"");
    }

    fn with(self, attribute: &str) {
        if let Some(at) = self.text.rfind("<text") {
            self.text.insert_str(at + "<text".len(), attribute);
        }
    }
}
