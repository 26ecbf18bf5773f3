//! The messages of a correlation, as templates see them: `${NAME}@1`, `$(context-length)`.
//!
//! In: the earlier messages of a context, oldest first. Out: the message that a reference names.
//! Holds: the messages. Outside of a correlation there are none, and a reference to one is empty.
//! Limits: [`BACK_MAX`] messages back; the owner of a context bounds its size.

use super::render::Renderer;
use message::Batch;
use std::sync::Arc;

/// Largest number after `@`.
pub const BACK_MAX: usize = 1_000_000;

/// One message of a context.
#[derive(Clone, Debug)]
pub struct Member {
    /// The batch that holds it.
    pub batch: Arc<Batch>,
    /// Index of the message in the batch.
    pub index: usize,
}

/// The messages before the one that is rendered, oldest first.
pub type Context = Vec<Member>;

/// Runs something for the message `back` places before the present one; 0 is the present one. It sees that
/// message alone. `None`: there is no such message.
pub(super) fn referred<T>(
    back: usize,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    run: impl FnOnce(&Batch, usize, &mut Renderer) -> T,
) -> Option<T> {
    let context = std::mem::take(&mut renderer.context);
    let result = match back.checked_sub(1) {
        None => Some(run(batch, index, renderer)),
        Some(steps) => {
            let member = context.len().checked_sub(steps + 1).and_then(|place| context.get(place));
            member.map(|member| run(&member.batch, member.index, renderer))
        }
    };
    renderer.context = context;
    result
}

/// Runs something for every message of the context, oldest first, the present one last. Each is seen alone.
pub(super) fn each(
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    mut run: impl FnMut(&Batch, usize, &mut Renderer),
) {
    let context = std::mem::take(&mut renderer.context);
    for member in &context {
        run(&member.batch, member.index, renderer);
    }
    run(batch, index, renderer);
    renderer.context = context;
}
