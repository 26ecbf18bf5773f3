//! Steps of connecting, and the time that they have.

use super::*;
use std::{future::poll_fn, task::Poll};
use tokio::runtime::Builder;

#[test]
fn a_step_has_its_time_and_no_more() {
    Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let mut looks = 0;
        // It is done when it was looked at twice more, in which the destination could have been stopped.
        let slow = poll_fn(|_| {
            looks += 1;
            if looks < 3 { Poll::Pending } else { Poll::Ready(Ok(7)) }
        });
        assert_eq!(in_time(until_deadline, slow).await.unwrap(), 7);
        let never = std::future::pending::<io::Result<()>>();
        let error = by(Instant::now(), until_deadline, never).await.unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string().as_str()),
            (io::ErrorKind::TimedOut, "cannot connect in time")
        );
    });
}
