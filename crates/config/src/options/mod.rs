//! x
/// x
pub fn has_module(name: &str) -> bool {
    !name.is_empty()
}
