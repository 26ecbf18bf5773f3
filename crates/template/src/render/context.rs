//! The messages of a correlation: `${NAME}@1`, `$(context-length)`.
//!
//! In: the message that is rendered. Out: the message that a reference names, or all of the context.
//! Holds nothing: the renderer holds the context. Outside of a correlation there is none, and a reference is empty.
//! Limits: [`crate::BACK_MAX`] messages back.

use crate::renderer::Renderer;
use message::Batch;

/// Runs something for the message `back` messages before the present one; 0 is the present one. It sees that
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
