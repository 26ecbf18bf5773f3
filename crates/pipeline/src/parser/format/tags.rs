//! `tags-parser()`: a list of tags in a text.
//!
//! In: `one,two,"three, four"`. Out: the message has these tags. It never fails.
//! Limits: [`TAGS_MAX`] tags of one text; the rest is left out and the message marked.

use crate::parser::reader::{Reader, Writer};
use template::list_elements;

/// Most tags of one text: they are compared one by one.
const TAGS_MAX: usize = 256;

/// Reads tags.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tags;

impl Reader for Tags {
    fn read(&self, text: &[u8], out: &mut Writer<'_>) -> bool {
        let tags = list_elements(text);
        if tags.len() > TAGS_MAX {
            out.cut();
        }
        for tag in tags.iter().take(TAGS_MAX).filter(|tag| !tag.is_empty()) {
            out.add_tag(&String::from_utf8_lossy(tag));
        }
        true
    }
}
