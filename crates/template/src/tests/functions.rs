//! Rows for edge cases in the arguments of functions.

use super::{check, check_error};

#[test]
fn numbers_with_a_fraction_have_every_operation() {
    check("$(- 1.5 1)|$(* 1.5 2)", "0.50000000000000000000|3.00000000000000000000");
    check("$(/ 7.0 2)|$(% 7.5 2)", "3.50000000000000000000|1.50000000000000000000");
    check("$(/ 1.0 0)|$(/ 1 0)|$(- a 1)", "NaN|NaN|NaN");
    check("$(sum x)|$(average x)|$(sum 9223372036854775807 1)", "||");
    check("$(round 1.005 15)|$(round 1.5 16)|$(round 1.5 21)", "1.005000000000000|1.5000000000000000|NaN");
}

#[test]
fn lists_are_counted_from_either_end() {
    check("$(list-concat a,b 'c')|$(list-concat)", "a,b,c|");
    check("$(list-nth -1 $list)|$(list-nth -3 $list)|$(list-nth -4 $list)|$(list-nth 3 $list)", "d|a||");
    check("$(list-slice -2: $list)|$(list-slice :-1 $list)", "\"b,c\",d|a,\"b,c\"");
    check("$(list-slice -9:1 $list)|$(list-slice 1:9 $list)|$(list-slice 2:1 $list)", "a|\"b,c\",d|");
    check("$(list-search --mode prefix b $list)|$(list-search --mode prefix c $list)", "1|");
    check("$(list-search --mode substring ,c $list)|$(list-search --mode glob *c $list)", "1|1");
    check("$(list-search --mode pcre '^d' $list)|$(list-search --start-index 1 a a,b,a)", "2|2");
}

#[test]
fn paths_have_a_folder_and_a_name() {
    check("$(dirname a/b)|$(dirname a)|$(dirname /a)|$(dirname /a/b/c)", "a|.|/|/a/b");
    check("$(basename /a/b)|$(basename a)|$(basename a/b//)|$(basename /)|$(basename '')", "b|a|b|/|.");
}

#[test]
fn a_match_is_chosen_by_its_number_and_group() {
    check(
        "$(extract --match 0 '(.)x' axbx)|$(extract --match 1 '(.)x' axbx)|$(extract --match 2 '(.)x' axbx no)",
        "ax|bx|no",
    );
    check("$(extract --match 1 --group 1 '(.)x' axbx)|$(extract --group 2 '(.)x' ax no)", "b|no");
    check("$(extract --ignore-case '(a)' xA)|$(extract '(a)' xA)|$(extract '(a)' xA no)", "A||no");
    // An expression that matches the empty text does so at every position, including the end.
    check("$(extract --group 0 --match 2 'x*' ab no)|$(extract --group 0 --match 3 'x*' ab no)", "|no");
    check("$(extract --group 0 --match 1 'x*' axxb)|$(extract --group 0 --match 0 'x*' xx)", "xx|xx");
}

#[test]
fn quotes_and_backslashes_of_words() {
    check("$(echo 'a\\b')|$(echo \"a'b\")|$(echo a\\ b)", "a\\b|a'b|a b");
    check("$(echo 'it\\'s')", "it's");
    check("$(echo (a b) \"c d\" e)", "(a b) c d e");
    check_error("$(echo 'a)", "template is wrong at byte 7: this quote is not closed");
    check_error("$(echo (a)", "template is wrong at byte 2: the ')' of this function is missing");
}

#[test]
fn calls_that_lack_an_argument_say_which() {
    for (template, want) in [
        ("$()", "the name of the function is missing"),
        ("$(if)", "$(if): a condition and two texts expected"),
        ("$(if '\"a\" == \"b\"' yes)", "$(if): a condition and two texts expected"),
        ("$(grep)", "$(grep): a condition and at least one text expected"),
        ("$(grep '\"a\" == \"b\"')", "$(grep): a condition and at least one text expected"),
        ("$(grep -m many '\"a\" == \"b\"' x)", "$(grep): many is no number of messages"),
        ("$(template)", "$(template): the name of a template expected"),
        ("$(map x)", "$(map): a template and at least one list expected"),
        ("$(filter x)", "$(filter): a condition and at least one list expected"),
        ("$(iterate x)", "$(iterate): a template and a first value expected"),
        ("$(format-date a b c)", "$(format-date): a form and maybe a time expected, 3 given"),
        ("$(stardate --digits 10 1)", "$(stardate): --digits is 0 to 9, not 10"),
    ] {
        check_error(template, &format!("template is wrong at byte 2: {want}"));
    }
    check_error("$(template none)", "template is wrong at byte 11: $(template): there is no template none");
}

#[test]
fn lists_of_names_count_as_levels() {
    for function in ["names", "values"] {
        let nested = |depth: usize| {
            (0..depth)
                .fold("x".to_owned(), |inner, _| format!("$({function} a=\"{inner}\")").replace('"', ""))
        };
        assert!(super::Template::parse(&nested(3), &super::Known::default()).is_ok(), "{function}");
        let error = super::Template::parse(&nested(40), &super::Known::default()).unwrap_err();
        assert!(error.reason.contains("nested deeper"), "{function}: {error}");
    }
    check_error(
        "$(format-gelff)",
        "template is wrong at byte 2: unknown template function format-gelff, did you mean format-gelf?",
    );
}

#[test]
fn lines_behind_the_first_are_indented() {
    check("$(indent-multi-line 'a\nb')", "a\n\tb");
    check("$(indent-multi-line 'a\n\tb\n c\n\nd')", "a\n\tb\n c\n\n\td");
    check("$(indent-multi-line a 'b\nc')", "a b\n\tc");
    check("$(indent-multi-line a)", "a");
}

#[test]
fn control_characters_are_replaced_unless_disabled() {
    check("$(sanitize 'a\tb')|$(sanitize -C 'a\tb')|$(sanitize -C -c 'a\tb')", "a_b|a\tb|a_b");
    check("$(sanitize 'a\u{1f}b ')|$(sanitize a/b c)", "a_b |a_b/c");
    check("$(sanitize --no-ctrl-chars '\t')|$(sanitize -C --ctrl-chars '\t')", "\t|_");
}

#[test]
fn several_texts_are_joined_by_blanks() {
    check("$(uppercase a b)|$(lowercase A B)|$(strip ' a ' '' ' b')|$(length a '' bcd)", "A B|a b|a b|1 0 3");
    check("$(ipv4-to-int 0.0.0.1 x 0.0.1.0)|$(base64-encode a)|$(base64-encode ab)", "1,256|YQ==|YWI=");
    check("$(url-encode \u{e9}~/)|$(url-decode %7e%7E%ff)", "%C3%A9~%2F|~~\u{fffd}");
    check("$(padding a 3)|$(padding abcd 3 x)|$(padding a x)|$(padding a -1)", "  a|abcd|a|a");
}

#[test]
fn tags_may_have_one_answer() {
    check("$(tag .source.s_in yes)|$(tag x yes)|$(tag x yes no)", "yes|0|no");
    check_error("$(tag)", "template is wrong at byte 2: $(tag): one tag and at most two texts expected");
}

#[test]
fn machines_are_asked_for_what_there_is() {
    check("$(getent group root)$(getent services ssh)$(getent protocols tcp)$(getent passwd root uid)", "");
    check("$(getent group root members)$(dns-resolve-ip --use-dns=persist-only x)", "x");
    check_error(
        "$(getent group root shell)",
        "template is wrong at byte 2: $(getent): unknown member shell; known are name, gid, members",
    );
    check_error(
        "$(getent passwd)",
        "template is wrong at byte 2: $(getent): a database, a key and maybe a member expected",
    );
    check_error("$(uuid x)", "template is wrong at byte 2: $(uuid): no argument expected");
    check_error(
        "$(dns-resolve-ip --use-fqdn maybe x)",
        "template is wrong at byte 2: $(dns-resolve-ip): --use-fqdn is yes or no, not maybe",
    );
}

#[test]
fn correlations_and_addresses_need_their_arguments() {
    check_error(
        "$(context-length x)",
        "template is wrong at byte 2: $(context-length): no argument expected",
    );
    check_error("$(geoip2 10.0.0.1)", "template is wrong at byte 2: $(geoip2): --database FILE expected");
    check("[$(geoip2 --database /db --field city 10.0.0.1)]", "[]");
}

#[test]
fn errors_of_hints_tell_their_place() {
    check_error(
        "$(format-json a=int(${x))",
        "template is wrong at byte 20: a macro starts with ${ here and its '}' is missing",
    );
    check_error(
        "$(format-json abc=${x)",
        "template is wrong at byte 18: a macro starts with ${ here and its '}' is missing",
    );
}
