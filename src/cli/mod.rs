//! # The command line: what can be asked of the program
//!
//! arguments ──▶ **here** ──▶ [`mod@run`] | [`query`] | [`planar`] | [`grasp`] | [`inspect`] | [`recover`] | [`reproduce`] | [`manual`]
//!
//! - **in**: arguments
//! - **out**: the command to run with its options; `--help` with an example for each
//! - **not here**: what the commands do (one file each)
//! - **start at** [`Cli`]

pub mod grasp;
pub mod inspect;
pub mod manual;
pub mod planar;
pub mod query;
pub mod recover;
pub mod reproduce;
pub mod run;
pub mod table;
pub mod verify;

use crate::outcome::{self, Failure, Outcome};
use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use std::path::PathBuf;

/// Contact mechanics for grasping: where surfaces touch, and how those points move.
#[derive(Debug, Parser)]
#[command(name = "fingerpad", version, about, arg_required_else_help = true, after_help = EXAMPLE)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Say nothing on stderr but errors.
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

const EXAMPLE: &str = "\
Examples:
  fingerpad run bowl-map
  fingerpad query closest --shape1 'sphere radius=10mm' --shape2 half_space --pos2 0,0,-12mm
  fingerpad query closest pairs.json --json
  fingerpad query patch --radius 10mm --load 1N..20N:20 --young 0.3MPa
  fingerpad grasp cup.json --weight 0.3kg
  fingerpad inspect dem.tif
  fingerpad reproduce --out out/reproduce

Exit codes: 0 all answered, 1 some record or verdict failed, 2 nothing done, 130 interrupted.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulates a scene: a table, an energy ledger that closes, CSV files, verdicts, a recording, a report to look at.
    Run(run::Run),
    /// One stage alone, on a batch of cases in JSON or on one case from options.
    #[command(subcommand, after_help = query::EXAMPLE)]
    Query(query::Query),
    /// Every motion a planar part with frictional contacts can have, in exact numbers.
    Planar(planar::Planar),
    /// Whether a grasp is closed, how good it is, and how hard it must be held.
    Grasp(grasp::Grasp),
    /// What is in a map, a mesh, a scene, a recording or a query file.
    Inspect(inspect::Inspect),
    /// Makes a recording readable that a crash left without its end.
    Recover(recover::Recover),
    /// The papers' figures and statements against ours, with verdicts and one HTML report.
    Reproduce(reproduce::Reproduce),
    /// Completions for a shell, on stdout.
    #[command(
        after_help = "Example:\n  fingerpad completions bash > ~/.local/share/bash-completion/completions/fingerpad"
    )]
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// The manual page, on stdout; or one page for each command, into a folder.
    #[command(after_help = "Examples:\n  fingerpad man | man -l -\n  fingerpad man --out ~/.local/share/man/man1")]
    Man {
        /// Folder for fingerpad.1, fingerpad-run.1 and so on; stdout if not given.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

/// Runs the command.
pub fn run(cli: Cli) -> Result<Outcome, Failure> {
    match cli.command {
        Command::Run(options) => run::run(&options, cli.quiet),
        Command::Query(query::Query::Closest(options)) => query::closest::run(&options, cli.quiet),
        Command::Query(query::Query::Elevation(options)) => query::elevation::run(&options, cli.quiet),
        Command::Query(query::Query::Fit(options)) => query::fit::run(&options, cli.quiet),
        Command::Query(query::Query::Patch(options)) => query::patch::run(&options, cli.quiet),
        Command::Query(query::Query::LimitSurface(options)) => query::limit_surface::run(&options, cli.quiet),
        Command::Query(query::Query::Slip(options)) => query::slip::run(&options, cli.quiet),
        Command::Query(query::Query::Lcp(options)) => query::lcp::run(&options, cli.quiet),
        Command::Query(query::Query::Bowl(options)) => query::bowl::run(&options, cli.quiet),
        Command::Query(query::Query::Tree(options)) => query::tree::run(&options, cli.quiet),
        Command::Planar(options) => planar::run(&options, cli.quiet),
        Command::Grasp(options) => grasp::run(&options, cli.quiet),
        Command::Inspect(options) => inspect::run(&options, cli.quiet),
        Command::Recover(options) => recover::run(&options),
        Command::Reproduce(options) => reproduce::run(&options, cli.quiet),
        Command::Completions { shell } => completions(shell),
        Command::Man { out } => manual::run(out.as_deref()),
    }
}

fn completions(shell: Shell) -> Result<Outcome, Failure> {
    // Into memory first: clap_complete panics where a pipe is closed.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "fingerpad", &mut script);
    outcome::print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::AllGood)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a line as a shell splits them, up to a pipe or a redirection; single quotes only.
    fn words(line: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut quoted = false;
        for c in line.chars() {
            match c {
                '\'' => quoted = !quoted,
                ' ' if !quoted => words.push(String::new()),
                c => words.last_mut().unwrap().push(c),
            }
        }
        let plain = words.into_iter().filter(|word| !word.is_empty());
        plain.take_while(|word| !matches!(word.as_str(), "|" | ">" | "\\")).collect()
    }

    /// Commands below this one, and itself.
    fn all(command: &clap::Command) -> Vec<clap::Command> {
        let below = command.get_subcommands().filter(|c| c.get_name() != "help").flat_map(all);
        std::iter::once(command.clone()).chain(below).collect()
    }

    /// Examples in `--help` are commands that the program takes; every command has one.
    #[test]
    fn examples_of_the_help_can_be_parsed() {
        for command in all(&Cli::command()) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            // A line that ends with a backslash goes on.
            let lines: Vec<String> = help.replace("\\\n", " ").lines().map(|l| l.trim().to_string()).collect();
            let examples = lines.iter().filter_map(|l| l.find("fingerpad ").map(|at| l[at..].to_string()));
            let examples: Vec<String> = examples.collect();
            assert!(!examples.is_empty(), "{} has no example", command.get_name());
            for example in examples {
                if let Err(error) = Cli::try_parse_from(words(&example)) {
                    panic!("{}: {example}: {error}", command.get_name());
                }
            }
        }
    }

    /// clap's own check of the definitions: clashing options, missing names.
    #[test]
    fn definitions_are_consistent() {
        Cli::command().debug_assert();
    }
}
