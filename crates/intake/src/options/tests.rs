//! Limits of listeners, and numbers of requests.

use super::*;

#[test]
fn a_limit_without_one_for_each_peer_holds_for_one_peer_too() {
    for (limits, of_one, and) in [
        (CountLimits { total: 5, per_peer: None }, 5, CountLimits { total: 8, per_peer: None }),
        (CountLimits { total: 5, per_peer: Some(2) }, 2, CountLimits { total: 8, per_peer: Some(5) }),
    ] {
        assert_eq!((limits.of_one_peer(), limits.and(3)), (of_one, and));
    }
    let most = CountLimits { total: usize::MAX, per_peer: Some(usize::MAX) };
    assert_eq!(most.and(3), most);
}
