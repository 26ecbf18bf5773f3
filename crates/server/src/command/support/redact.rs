//! Redacts a configuration: its structure stays, texts are removed.
//!
//! In: a configuration that parses, as text. Out: the same lines with names of statements, drivers and options, numbers, and
//! the few texts of [`OPEN_OPTIONS`]; every other text is replaced by its length, comments go.
//! Holds nothing. Limits: any text that is not known to be harmless is left out.

/// Options whose texts and words are shown: they never name people, addresses or secrets.
const OPEN_OPTIONS: &[&str] = &[
    "age-after",
    "archive-after",
    "clock-jump-wait",
    "compress",
    "encoding",
    "facility",
    "flags",
    "format",
    "frac-digits",
    "ip",
    "ip-protocol",
    "level",
    "log-level",
    "logspace",
    "mark-mode",
    "method",
    "on-error",
    "peer-verify",
    "priority",
    "recode-after",
    "retention-age",
    "severity",
    "ssl-options",
    "time-zone",
    "transport",
    "ts-format",
    "use-dns",
];

/// Options whose words are shown, being names of the configuration's own objects; their texts are not.
const NAMING_OPTIONS: &[&str] = &["destination", "filter", "parser", "rewrite", "source", "template"];

/// Parts of option names whose numbers are left out as well.
const SECRET_NAMES: &[&str] =
    &["auth", "community", "cred", "key", "pass", "pin", "pwd", "secret", "token", "user"];

/// Words of statements: a name follows them.
const STATEMENTS: &[&str] = &[
    "application",
    "block",
    "destination",
    "filter",
    "log",
    "logspace",
    "parser",
    "rewrite",
    "source",
    "template",
    "template-function",
    "root",
];

/// Words of expressions and paths that have no argument.
const ALONE: &[&str] = &[
    "and", "channel", "elif", "else", "eq", "ge", "gt", "if", "junction", "le", "lt", "ne", "not", "or",
    "options",
];

/// Words that are as good as numbers.
const SWITCHES: &[&str] = &["auto", "no", "off", "on", "yes"];

/// The structure of a configuration.
pub(super) fn configuration(text: &str) -> String {
    let mut reader =
        Reader { rest: text, out: String::with_capacity(text.len()), open: Vec::new(), names: false };
    while let Some(first) = reader.rest.chars().next() {
        reader.piece(first);
    }
    reader.out
}

struct Reader<'t> {
    rest: &'t str,
    out: String,
    /// Names before the parentheses that are open.
    open: Vec<String>,
    /// The last word was that of a statement: a name follows.
    names: bool,
}

impl<'t> Reader<'t> {
    /// Takes the first bytes.
    fn take(&mut self, length: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    /// Shows the first bytes.
    fn copy(&mut self, length: usize) {
        let taken = self.take(length);
        self.out.push_str(taken);
    }

    /// Takes bytes up to a line feed.
    fn line(&mut self) -> &'t str {
        self.take(self.rest.find('\n').unwrap_or(self.rest.len()))
    }

    fn piece(&mut self, first: char) {
        match first {
            '#' => drop(self.line()),
            '@' => self.pragma(),
            '"' | '\'' => self.text(first),
            '(' | '[' | '{' => {
                self.open.push(String::new());
                self.copy(1);
            }
            ')' | ']' | '}' => {
                self.open.pop();
                self.copy(1);
            }
            first if ends_word(first) => self.copy(first.len_utf8()),
            _ => self.word(),
        }
    }

    /// Keeps `@version`; of every other pragma only the name.
    fn pragma(&mut self) {
        let line = self.line();
        match line.starts_with("@version") {
            true => self.out.push_str(line),
            false => {
                let words = if line.starts_with("@define") { 2 } else { 1 };
                let kept: Vec<&str> = line.split_whitespace().take(words).collect();
                self.out.push_str(&kept.join(" "));
                self.out.push_str(" [...]");
            }
        }
    }

    fn text(&mut self, quote: char) {
        let mut characters = self.rest.char_indices().skip(1);
        let mut end = self.rest.len();
        while let Some((at, character)) = characters.next() {
            if character == '\\' && quote == '"' {
                characters.next();
            } else if character == quote {
                end = at + 1;
                break;
            }
        }
        let text = self.take(end);
        match self.is_open() {
            true => self.out.push_str(text),
            false => self.out.push_str(&format!("[text of {} bytes]", text.len().saturating_sub(2))),
        }
        // Line feeds in a text keep the numbers of lines.
        if !self.is_open() {
            text.matches('\n').for_each(|_| self.out.push('\n'));
        }
        self.names = false;
    }

    /// Returns true if texts here are shown.
    fn is_open(&self) -> bool {
        self.option().is_some_and(|name| OPEN_OPTIONS.contains(&name))
    }

    /// The option or driver whose argument this is; none directly inside braces.
    fn option(&self) -> Option<&str> {
        self.open.last().map(String::as_str).filter(|name| !name.is_empty())
    }

    fn word(&mut self) {
        let length = self.rest.find(ends_word);
        let word = self.take(length.unwrap_or(self.rest.len()));
        let after = self.rest.trim_start_matches([' ', '\t']);
        let name = word.to_ascii_lowercase().replace('_', "-");
        if after.starts_with('(') {
            self.out.push_str(word);
            self.copy(self.rest.len() - after.len());
            self.copy(1);
            self.open.push(name);
            self.names = false;
            return;
        }
        let is_name = std::mem::replace(&mut self.names, false);
        let is_keyword = STATEMENTS.contains(&name.as_str()) || ALONE.contains(&name.as_str());
        let is_kept = match self.option() {
            Some(option) => {
                let is_plain = is_number(word) || SWITCHES.contains(&name.as_str());
                let is_secret = SECRET_NAMES.iter().any(|part| option.contains(part));
                let is_shown = OPEN_OPTIONS.contains(&option) || NAMING_OPTIONS.contains(&option);
                is_shown || word == "=>" || is_plain && !is_secret
            }
            None => is_keyword || is_name || after.starts_with('{') || word == "=>",
        };
        match is_kept {
            true => self.out.push_str(word),
            false => self.out.push_str("[word]"),
        }
        // `block destination name`: one more word before the name.
        self.names = self.option().is_none() && STATEMENTS.contains(&name.as_str());
    }
}

/// Decimal digits with a sign, a suffix such as `Ki`, or a fraction.
fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches(['-', '+']).trim_end_matches(['k', 'K', 'M', 'G', 'i', 'b', 'B']);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Characters that no bare word has.
fn ends_word(character: char) -> bool {
    character.is_whitespace() || "#\"'(){}[]\\;,|@:`".contains(character)
}

#[cfg(test)]
mod tests {
    //! Rows of configurations.

    use super::configuration;

    #[track_caller]
    fn check(text: &str, want: &str) {
        assert_eq!(configuration(text), want, "{text}");
    }

    #[test]
    fn the_structure_stays() {
        check(
            "@version: 4.8\n# a comment\nsource s_net { network(ip(\"0.0.0.0\") port(514) transport(tcp)); };\n",
            "@version: 4.8\n\nsource s_net { network(ip(\"0.0.0.0\") port(514) transport(tcp)); };\n",
        );
        check(
            "log { source(s_net); filter(f_x); destination(d_y); flags(flow-control, final); };",
            "log { source(s_net); filter(f_x); destination(d_y); flags(flow-control, final); };",
        );
        check(
            "destination d { logspace(\"main\" retention-age(\"90d\") retention-size(50G)); };",
            "destination d { logspace(\"main\" retention-age(\"90d\") retention-size(50G)); };",
        );
        check(
            "if (host(\"x\")) { rewrite(r); } else { };",
            "if (host([text of 1 bytes])) { rewrite(r); } else { };",
        );
    }

    #[test]
    fn texts_go() {
        check(
            "http(url(\"https://joe:pw@host/x\") password(hunter2) headers('A: b'));",
            "http(url([text of 21 bytes]) password([word]) headers([text of 4 bytes]));",
        );
        check(
            "password(\"a\\\"b\" 12) pin(1234) port(99)",
            "password([text of 4 bytes] [word]) pin([word]) port(99)",
        );
        check("@define key \"secret\"\n@include \"/a/b\"\nx", "@define key [...]\n@include [...]\n[word]");
        check("set(\"two\nlines\" value(\"a\"));", "set([text of 9 bytes]\n value([text of 1 bytes]));");
        check("'raw \\' (x) \"unclosed", "[text of 5 bytes] ([word]) [text of 7 bytes]");
        check("filter f { \"$X\" eq secret };", "filter f { [text of 2 bytes] eq [word] };");
        check(
            "file(\"/x\" template(\"pw\") template(t_x))",
            "file([text of 2 bytes] template([text of 2 bytes]) template(t_x))",
        );
        check("map(\"a\" => word)", "map([text of 1 bytes] => [word])");
    }

    #[test]
    fn numbers_and_switches_are_shown_where_they_are_no_secrets() {
        check("port(+5) size(-10Ki) rate(0.5) time(1.2.3)", "port(+5) size(-10Ki) rate(0.5) time(1.2.3)");
        check(
            "port(5x) size(Ki) rate(-) x(1024b 3kB 9B)",
            "port([word]) size([word]) rate([word]) x(1024b 3kB 9B)",
        );
        check("keep-alive(yes) x(NO off auto)", "keep-alive(yes) x(NO off auto)");
        check(
            "user(5) access-token(7) community(1) Auth-Key(no)",
            "user([word]) access-token([word]) community([word]) Auth-Key([word])",
        );
    }

    #[test]
    fn words_are_shown_where_they_are_names() {
        check("block destination d_x(a(1)) { };", "block destination d_x(a(1)) { };");
        check(
            "source s_x { junction { channel { parser(p_x); }; }; };",
            "source s_x { junction { channel { parser(p_x); }; }; };",
        );
        check("filter f { program secret };", "filter f { [word] [word] };");
        check("template t_x \"text\"; rest", "template t_x [text of 4 bytes]; [word]");
        check("log secret { };", "log secret { };");
        check("source \"a\" secret;", "source [text of 1 bytes] [word];");
        check("my_driver (flags(a) other(a))", "my_driver (flags(a) other([word]))");
        check(
            "time_zone(\"Europe/Budapest\") other_zone(\"x\")",
            "time_zone(\"Europe/Budapest\") other_zone([text of 1 bytes])",
        );
        check("filter(f_x) not_filter(f_x)", "filter(f_x) not_filter([word])");
        check("{ word } [ word ] ( word )", "{ [word] } [ [word] ] ( [word] )");
        check("ssl-options(\"two\nlines\")", "ssl-options(\"two\nlines\")");
    }

    #[test]
    fn pragmas_and_comments_go() {
        check("@version: 4.8 # x\n@module mod secret\n", "@version: 4.8 # x\n@module [...]\n");
        check("@define name", "@define name [...]");
        check("a # secret", "[word] ");
        check("x(\"a\\\\\") y", "x([text of 3 bytes]) [word]");
        check("x('a\\') y", "x([text of 2 bytes]) [word]");
        check(")]} `secret` a;b", ")]} `[word]` [word];[word]");
    }
}
