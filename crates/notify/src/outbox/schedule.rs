//! The pauses between attempts, as the specification of Standard Webhooks recommends them: short ones first, then up to a day, for
//! three days.
//!
//! In: the number of attempts that failed, the pause that a receiver asks for. Out: the next pause, or the end. Holds nothing.

use aws_lc_rs::digest::{SHA256, digest};
use std::time::Duration;

/// The pauses, in seconds: three days together.
pub(super) const PAUSES: [u64; 10] = [5, 30, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/// Returns the pause after the attempt that follows `failed` others; none: it is given up. Pauses differ by up to a tenth, by
/// the id of the notification, so that what failed at once does not come back at once.
pub(super) fn pause(id: &str, failed: u32, asked: Option<Duration>) -> Option<Duration> {
    let seconds = *PAUSES.get(failed as usize)?;
    let spread = digest(&SHA256, format!("{id}\n{failed}").as_bytes()).as_ref()[0];
    let own = Duration::from_secs(seconds).mul_f64(1.0 + f64::from(spread) / 2_550.0);
    Some(asked.map_or(own, |asked| asked.max(own)))
}

#[cfg(test)]
mod tests {
    //! Pauses.

    use super::*;

    #[test]
    fn attempts_go_on_for_three_days_and_then_end() {
        let pauses: Vec<Duration> = (0..).map_while(|failed| pause("msg_a", failed, None)).collect();
        assert_eq!(pauses.len(), PAUSES.len());
        for (pause, seconds) in pauses.iter().zip(PAUSES) {
            let most = seconds as f64 * 1.1;
            assert!((seconds as f64..=most).contains(&pause.as_secs_f64()), "{pause:?}");
        }
        let days = pauses.iter().sum::<Duration>().as_secs_f64() / 86_400.0;
        assert!((3.0..3.6).contains(&days), "{days}");
    }

    #[test]
    fn a_receiver_may_ask_for_more_patience_but_not_for_less() {
        let hour = Duration::from_secs(3_600);
        assert_eq!(pause("msg_a", 0, Some(hour)), Some(hour));
        assert!(pause("msg_a", 5, Some(hour)).is_some_and(|pause| pause > hour));
    }
}
