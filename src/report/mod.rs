//! # Reports: pages that need nothing else
//!
//! `reproduce` ──(findings)──▶ **here** ──▶ `reproduce.html` with plots inside; `run` ──▶ [`run`] ──▶ `report.html`
//!
//! - **in**: rows and what they found
//! - **out**: HTML without scripts or outside resources, for light and dark screens
//! - **not here**: tables on a terminal (`cli::table`)
//! - **start at** [`page`] (reproduce), [`run::page`]; [`chart`] draws curves, [`oblique`] a surface in space, [`shell`] makes
//!   triangles of shapes

pub mod chart;
pub mod oblique;
pub mod run;
pub mod shell;
pub mod viewer;

use crate::reproduce::{Experiment, Finding, PAPERS, Quantity, Verdict, motion_of};

/// Text with the characters that HTML keeps for itself replaced.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

const STYLE: &str = "\
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6472; --paper: #ffffff; --line: #d9dde3; --card: #f6f7f9;
  --good: #18794e; --note: #0b68cb; --bad: #c0262d; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --soft: #9aa4b2; --paper: #14171c; --line: #313741;
  --card: #1b1f26; --good: #4cc38a; --note: #70b8ff; --bad: #ff6369; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 68rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin: 1.6rem 0 .3rem; } section h2 { margin-top: 0; }
p { margin: .4rem 0; } .soft { color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 600; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.2rem; margin: 1.2rem 0; }
figure { margin: 1rem 0 0; } figure svg { max-width: 100%; height: auto; display: block; }
figcaption { color: var(--soft); font-size: .9rem; }
code { font-family: ui-monospace, monospace; }
.agrees { color: var(--good); font-weight: 600; } .corrects { color: var(--note); font-weight: 600; }
.fails { color: var(--bad); font-weight: 600; }
a { color: inherit; }";

/// The whole page.
pub fn page(findings: &[(&Experiment, Finding)]) -> String {
    let failed = findings.iter().filter(|(_, f)| f.verdict.failed()).count();
    let summary = match failed {
        0 => format!("{} rows, every verdict good.", findings.len()),
        n => format!("{} rows, {n} failed.", findings.len()),
    };
    let tables: String = PAPERS.iter().map(|(name, title)| table(name, title, findings)).collect();
    let sections: String = findings.iter().map(|(e, f)| section(e, f)).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>fingerpad reproduce</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n\
         <h1>The papers against fingerpad {}</h1>\n\
         <p>{summary} <span class=\"soft\">Every number was computed in this run; made by <code>fingerpad reproduce</code>.</span></p>\n\
         <p><b>Theirs</b> is what the paper prints or shows at that place, <b>ours</b> what fingerpad finds. A row <i>agrees</i> where \
         ours is within the tolerance of theirs; it <i>corrects the paper</i> where the printed form does not hold and the corrected \
         one does (the row tells the erratum and what it does); it <i>extends the paper</i> where the paper shows or claims \
         something and leaves the number open. Rows that are motions have a 3-D replay. Each name leads to the details below.</p>\n\
         {tables}<h2>Row by row</h2>\n{sections}</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// The rows of a paper; nothing where none was run.
fn table(name: &str, title: &str, findings: &[(&Experiment, Finding)]) -> String {
    let rows: String = findings.iter().filter(|(e, _)| e.paper == name).map(|(e, f)| table_row(e, f)).collect();
    if rows.is_empty() {
        return rows;
    }
    format!(
        "<h2>Paper {}</h2>\n<p>{}</p>\n\
         <div class=\"scroll\"><table>\n<thead><tr><th>row</th><th>figure</th><th>theirs</th><th>ours</th><th>unit</th>\
         <th>tolerance</th><th>verdict</th><th>replay</th></tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n",
        escaped(name),
        escaped(title)
    )
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Agrees => "agrees",
        Verdict::Corrects | Verdict::Extends => "corrects",
        Verdict::Fails => "fails",
    }
}

fn table_row(e: &Experiment, f: &Finding) -> String {
    let tolerance = f.tolerance.map_or(String::new(), |t| Quantity::Number(t).shown());
    format!(
        "<tr><td><a href=\"#{0}\"><code>{0}</code></a></td><td>{1}</td><td>{2}</td><td>{3}</td><td>{4}</td>\
         <td>{tolerance}</td><td class=\"{5}\">{6}</td><td>{7}</td></tr>\n",
        e.name,
        escaped(e.figure),
        escaped(&f.theirs.shown()),
        escaped(&f.ours.shown()),
        escaped(f.unit),
        class(f.verdict),
        f.verdict.words(),
        motion_of(e.name)
            .map_or(String::new(), |motion| format!("<a href=\"{}\">replay</a>", replay_path(motion.scene)))
    )
}

/// Where the report of a scene stands, from the folder of `reproduce.html`.
pub fn replay_path(scene: &str) -> String {
    format!("replays/{scene}/report.html")
}

fn section(e: &Experiment, f: &Finding) -> String {
    let figures: String = f
        .figures
        .iter()
        .map(|g| format!("<figure>\n{}<figcaption>{}</figcaption></figure>\n", g.svg, escaped(&g.caption)))
        .collect();
    let replay = motion_of(e.name).map_or(String::new(), |motion| {
        format!("<p><a href=\"{}\">3-D replay</a>: {}.</p>\n", replay_path(motion.scene), escaped(motion.shows))
    });
    format!(
        "<section id=\"{}\">\n<h2><code>{0}</code> <span class=\"{}\">{}</span></h2>\n\
         <p class=\"soft\">Paper {}, {}: {}</p>\n<p>{}</p>\n{replay}{figures}</section>\n",
        e.name,
        class(f.verdict),
        f.verdict.words(),
        escaped(e.paper),
        escaped(e.figure),
        escaped(e.statement),
        escaped(&f.note)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A statement with < in it must not open a tag.
    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escaped("Δ_min < 0 & \"x\""), "Δ_min &lt; 0 &amp; &quot;x&quot;");
    }
}
