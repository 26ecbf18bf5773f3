//! Messages for chats: Slack, Teams, Telegram, Matrix.
//!
//! In: a notification. Out: the bodies that the services document, with its text. Holds nothing.
//! Limits: those of the services, below which texts are cut. Nobody is called by a name in a log line, and no link leads to where
//! one says. Only Slack formats words between stars and the like.

use serde_json::{Value, json};

/// Longest text of a section of Slack, in characters.
const SLACK_SECTION_CHARS: usize = 3_000;
/// Most sections: Slack refuses messages with about 13,000 characters, which it does not document.
const SLACK_SECTIONS: usize = 4;
/// Longest text in a card of Teams, in bytes: a request has at most 28 kB.
const TEAMS_BYTES: usize = 16_000;
/// Longest text of Telegram, in units of UTF-16.
const TELEGRAM_UNITS: usize = 4_096;
/// Longest text of Matrix, in bytes: an event has at most 64 KiB, with what the server adds.
const MATRIX_BYTES: usize = 32_000;
/// The end of a text that was cut.
const CUT: &str = "\n…";

/// Cuts a text to a size, which a function gives each character.
fn cut(text: &str, most: usize, size: impl Fn(char) -> usize) -> String {
    let total: usize = text.chars().map(&size).sum();
    if total <= most {
        return text.to_owned();
    }
    let mut left = most - CUT.chars().map(&size).sum::<usize>();
    let fits = |character: &char| match left.checked_sub(size(*character)) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    let mut kept: String = text.chars().take_while(fits).collect();
    kept.push_str(CUT);
    kept
}

/// An incoming webhook of Slack (https://api.slack.com/messaging/webhooks). `verbatim` keeps names and links from being found in
/// the text, the three characters of its markup are escaped.
pub(super) fn slack(subject: &str, text: &str) -> Value {
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let (mut sections, mut section, mut size) = (Vec::new(), String::new(), 0);
    for character in cut(text, SLACK_SECTION_CHARS * SLACK_SECTIONS / 5 * 4, escaped_size).chars() {
        if size + escaped_size(character) > SLACK_SECTION_CHARS {
            sections.push(std::mem::take(&mut section));
            size = 0;
        }
        size += escaped_size(character);
        section.push(character);
    }
    sections.push(section);
    let block = |text: &String| json!({"type": "section", "text": {"type": "mrkdwn", "text": escape(text), "verbatim": true}});
    let blocks: Vec<Value> =
        sections.iter().filter(|section| !section.trim().is_empty()).map(block).collect();
    json!({"text": escape(&cut(subject, 1_000, escaped_size)), "blocks": blocks})
}

fn escaped_size(character: char) -> usize {
    match character {
        '&' => 5,
        '<' | '>' => 4,
        _ => 1,
    }
}

/// A workflow of Teams that posts an adaptive card. Runs of text have no markup (https://adaptivecards.io, `TextRun`).
pub(super) fn teams(text: &str) -> Value {
    let text = cut(text, TEAMS_BYTES, char::len_utf8);
    let block = |line: &str| json!({"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": line}]});
    // One block for the whole text would lose its lines.
    let body: Vec<Value> = text.lines().filter(|line| !line.trim().is_empty()).map(block).collect();
    json!({
        "type": "message",
        "attachments": [{
            "contentType": "application/vnd.microsoft.card.adaptive",
            "content": {
                "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
                "type": "AdaptiveCard",
                "version": "1.2",
                "body": body,
            },
        }],
    })
}

/// `sendMessage` of Telegram's bots (https://core.telegram.org/bots/api), without `parse_mode`: plain text.
pub(super) fn telegram(chat: &str, text: &str) -> Value {
    let text = cut(text, TELEGRAM_UNITS, char::len_utf16);
    json!({"chat_id": chat, "text": text, "link_preview_options": {"is_disabled": true}})
}

/// `m.room.message` of Matrix (https://spec.matrix.org, client-server API): plain text.
pub(super) fn matrix(text: &str) -> Value {
    json!({"msgtype": "m.text", "body": cut(text, MATRIX_BYTES, char::len_utf8)})
}

#[cfg(test)]
mod tests {
    //! Texts that are long, or look like markup.

    use super::*;

    const SIZES: [usize; 3] = [10, 20_000, 200_000];

    #[test]
    fn texts_stay_below_the_limits_of_the_services() {
        for size in SIZES {
            for character in ["a", "<", "ä", "😀", "\n"] {
                let text = character.repeat(size);
                let slack = slack(&text, &text);
                let sections = slack["blocks"].as_array().unwrap();
                let lengths =
                    sections.iter().map(|block| block["text"]["text"].as_str().unwrap().chars().count());
                assert!(
                    lengths.clone().all(|length| length <= SLACK_SECTION_CHARS)
                        && sections.len() <= SLACK_SECTIONS
                );
                assert!(
                    slack.to_string().chars().count() < 13_000 || character == "\n",
                    "{size} {character}"
                );
                let telegram = telegram("1", &text);
                assert!(telegram["text"].as_str().unwrap().encode_utf16().count() <= TELEGRAM_UNITS);
                assert!(teams(&text).to_string().len() < 28_000 || character == "\n");
                assert!(matrix(&text)["body"].as_str().unwrap().len() <= MATRIX_BYTES);
            }
        }
        assert_eq!(matrix("short")["body"], "short");
        assert!(matrix(&"x".repeat(100_000))["body"].as_str().unwrap().ends_with(CUT));
    }

    #[test]
    fn text_is_no_markup() {
        let text = "user <!channel> <@U1> & [here](http://x) *b*";
        let got = slack(text, text);
        assert_eq!(
            got["blocks"][0]["text"]["text"],
            "user &lt;!channel&gt; &lt;@U1&gt; &amp; [here](http://x) *b*"
        );
        assert_eq!(got["blocks"][0]["text"]["verbatim"], true);
        let card = teams("a\n\n[b](c)");
        assert_eq!(card["attachments"][0]["content"]["body"][1]["inlines"][0]["text"], "[b](c)");
        assert_eq!(telegram("-5", "<b>")["text"], "<b>");
    }
}
