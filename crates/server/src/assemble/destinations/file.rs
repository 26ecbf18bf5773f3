//! Destinations that write files.
//!
//! In: options of a driver. Out: a [`FileTarget`]. Holds: nothing.
//! Limits: [`OPEN_FILES_MAX`] open files of one destination.

use crate::assemble::{
    expressions::rendering::TemplateRenderer, lowering::Lowering, options::driver::Options,
};
use config::tree::{Arg, Call, Name};
use delivery::{FileTarget, Rotation};
use message::Render;
use std::{os::unix::fs::FileTypeExt, path::PathBuf, sync::Arc, time::Duration};
use template::{RenderOptions, Template};

/// Default size and number of files of `logrotate()`.
const ROTATED_BYTES: u64 = 1 << 20;
const ROTATED_FILES: u32 = 10;

/// Most open files of one destination.
const OPEN_FILES_MAX: usize = 1024;

impl<'t> Lowering<'t> {
    /// Makes the target of a driver that writes files; `filename` is its first argument.
    pub(crate) fn file(&mut self, options: &Options<'t>, filename: Option<String>) -> Option<FileTarget> {
        let span = options.call.plain().next().map_or(options.call.span, Arg::span);
        let text = filename.or_else(|| options.plain())?;
        let template = self.template(&Name { text: text.clone(), span }).map(Arc::new)?;
        let is_constant = template.constant().is_some();
        let reap = (!is_constant).then_some(Duration::from_secs(60));
        let reap_after = match options.own("time-reap") {
            None if is_constant => None,
            _ => options.seconds_or_never("time-reap", reap),
        };
        Some(FileTarget {
            trusted_prefix: text.split('$').next().unwrap_or_default().to_owned(),
            name: self.name_renderer(template, options),
            create_folders: options.is_yes("create-dirs"),
            permissions: self.permissions(options, Some(0o600), ["owner", "group", "perm"]),
            folder_permissions: self.permissions(
                options,
                Some(0o700),
                ["dir-owner", "dir-group", "dir-perm"],
            ),
            reap_after,
            fsync: options.is_yes("fsync"),
            rotation: rotation(options),
            compress: options.is_yes("compress"),
            link: options.own_text("symlink-as").filter(|text| !text.is_empty()).map(PathBuf::from),
            overwrite_if_older: options.seconds_or_never("overwrite-if-older", None),
            open_files_max: OPEN_FILES_MAX,
        })
    }

    /// Makes a renderer for a file's name: its times are in a zone of their own.
    pub(crate) fn name_renderer(
        &mut self,
        template: Arc<Template>,
        options: &Options<'t>,
    ) -> Box<dyn Render> {
        let zone = self.zone(options.any("local-time-zone"));
        let render = RenderOptions { zone, ..self.render_options(options) };
        Box::new(TemplateRenderer::new(template, render, self.environment.site.clone()))
    }
}

/// Returns the console that `getvirtconsole()` writes to. Containers have none, and no file is created in its
/// place.
pub(crate) fn virtual_console() -> String {
    let is_device = |path: &&str| std::fs::metadata(path).is_ok_and(|data| data.file_type().is_char_device());
    ["/dev/tty10", "/dev/console"].into_iter().find(is_device).unwrap_or("/dev/null").to_owned()
}

/// Returns the rotation of `logrotate()`.
fn rotation(options: &Options<'_>) -> Option<Rotation> {
    let call = options.own("logrotate")?;
    let is_enabled = call.option("enable").and_then(Call::truth).unwrap_or(true);
    let number = |name: &str| call.option(name).and_then(Call::number);
    is_enabled.then(|| Rotation {
        bytes: number("size").and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(ROTATED_BYTES),
        kept: number("rotations").and_then(|count| u32::try_from(count).ok()).unwrap_or(ROTATED_FILES),
    })
}
