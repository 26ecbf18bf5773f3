//! `kubernetes-metadata-parser()`.
//!
//! In: its options, the environment of a pod. Out: a step of a log path. Holds: nothing. What is known of pods continues over reloads that
//! change nothing about it.
//! Limits: without an API server, because the server does not run in a cluster or knows no node, messages get the names in the path alone.

use crate::assemble::{lowering::Lowering, parsers::calls::ParserCall};
use config::Diagnostic;
use enrich::{ApiServer, PodStep, PodStepOptions, PodStore, PodWatch};
use pipeline::Parser;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use template::Template;
use transport::tls::{SenderTls, TlsOptions};

/// The folder in which a pod finds what it shows the API server.
const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
/// Longest wait for the metadata of a pod that is not known yet.
const METADATA_WITHIN: Duration = Duration::from_secs(2);
/// Longest time until an answer of the API server begins.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// Longest pause after failures.
const REOPEN: Duration = Duration::from_secs(60);
const CACHE_BYTES: usize = 16 << 20;

impl<'t> Lowering<'t> {
    /// Makes the step that adds the metadata of pods.
    pub(crate) fn pod_metadata(&mut self, parser: ParserCall<'t>) -> Option<Arc<dyn Parser>> {
        let address = std::ptr::from_ref(parser.options.call);
        if let Some(known) = self.waiting_parsers.get(&address) {
            return Some(known.clone());
        }
        let options = parser.options;
        let given = options.own_text("template").is_some_and(|text| !text.is_empty());
        let template = match given {
            true => self.driver_template(&options, "")?,
            false => Arc::new(Template::parse("${FILE_NAME}", &self.definitions).ok()?),
        };
        let text = |name, default: &str| {
            options.own_text(name).filter(|text| !text.is_empty()).unwrap_or_else(|| default.to_owned())
        };
        let step = PodStepOptions {
            template,
            prefix: options.own_text("prefix").unwrap_or_else(|| ".k8s.".to_owned()),
            key_delimiter: text("key-delimiter", "."),
            patience: options.seconds("metadata-timeout").unwrap_or(METADATA_WITHIN),
        };
        let pods = match self.pod_watch(parser)? {
            None => None,
            Some(what) => {
                let store: Arc<PodStore> = self.environment.reload_state.get(&format!("pods {what:?}"));
                self.count_lookups(&what.name, store.lookups());
                Some((what, store))
            }
        };
        // A configuration that is only tried asks nobody.
        let log = self.environment.waits_for_classes.then_some(&self.environment.log);
        let made: Arc<dyn Parser> = Arc::new(PodStep::new(step, pods, log));
        self.waiting_parsers.insert(address, made.clone());
        Some(made)
    }

    /// Returns the API server and the node; the inner `None` when there is none to ask.
    fn pod_watch(&mut self, parser: ParserCall<'t>) -> Option<Option<PodWatch>> {
        let options = parser.options;
        let given = |name| options.own_text(name).filter(|text| !text.is_empty());
        // Read in any case: with use-api(no) they have no effect, and are no mistakes.
        let (url, node) = (given("api-server"), given("node-name").or_else(|| self.variable("NODE_NAME")));
        let (token, authority) = (given("token-file"), given("ca-file"));
        let bytes_max = options.count("cache-bytes", CACHE_BYTES);
        let reopen = options.seconds("time-reopen").unwrap_or(REOPEN);
        if options.is_no("use-api") {
            return Some(None);
        }
        if let (Some(written), Some(option)) = (&url, options.own("api-server")) {
            let host = written.strip_prefix("https://").unwrap_or_default();
            let is_url = !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_graphic());
            if !is_url || host.contains(['/', '?', '#', '@']) {
                let error =
                    Diagnostic::error(option.span, format!("`{written}` is no address of an API server"));
                self.report.push(error.help("api-server(\"https://host:port\")"));
                return None;
            }
        }
        let is_given = url.is_some();
        let account = Path::new(SERVICE_ACCOUNT);
        let token_file = token.as_ref().map_or_else(|| account.join("token"), PathBuf::from);
        let ca_file = authority.as_ref().map_or_else(|| account.join("ca.crt"), PathBuf::from);
        let Some(url) = url.or_else(|| self.cluster_url()) else { return Some(None) };
        let Some(node) = node else {
            let help = "set node-name(), or the environment variable NODE_NAME to spec.nodeName of the pod";
            if is_given {
                let error = Diagnostic::error(options.call.name.span, "the name of the node is missing");
                self.report.push(error.help(help));
                return None;
            }
            self.without_metadata(help);
            return Some(None);
        };
        if !is_given && token.is_none() && !token_file.exists() {
            self.without_metadata("the pod has no token of a service account");
            return Some(None);
        }
        let tls = TlsOptions { ca_file: Some(ca_file), ..TlsOptions::default() };
        let name = format!("kubernetes,{node}");
        let tls = SenderTls::new(tls);
        let server = ApiServer { url, node, token_file, tls, timeout: ANSWER_WITHIN };
        Some(Some(PodWatch { server, bytes_max, reopen, name }))
    }

    /// The address of the API server, as a pod finds it in its environment.
    fn cluster_url(&self) -> Option<String> {
        let host = self.variable("KUBERNETES_SERVICE_HOST")?;
        let port = self.variable("KUBERNETES_SERVICE_PORT").unwrap_or_else(|| "443".to_owned());
        let is_v6 = host.contains(':');
        Some(if is_v6 { format!("https://[{host}]:{port}") } else { format!("https://{host}:{port}") })
    }

    fn variable(&self, name: &str) -> Option<String> {
        let variables = &self.environment.site.environment;
        let found = variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        found.filter(|value| !value.is_empty())
    }

    fn without_metadata(&self, why: &str) {
        if self.environment.waits_for_classes {
            let log = &self.environment.log;
            log.warning(&format!("Pods get the names in the names of their files alone; reason='{why}'"));
        }
    }
}
