//! # `fingerpad man`: the help of every command as pages for `man`
//!
//! definitions of the commands ([`Cli`]) ──▶ **here** ──▶ roff on stdout, or files `fingerpad-COMMAND.1`
//!
//! - **in**: the folder for the pages, if any
//! - **out**: one page for the program, and with a folder one for each command
//! - **not here**: the words (they are those of `--help`, in each command's file)
//! - **start at** [`run`]

use super::Cli;
use crate::outcome::{self, Failure, Outcome};
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use std::path::Path;

/// Writes the pages.
pub fn run(folder: Option<&Path>) -> Result<Outcome, Failure> {
    let mut program = Cli::command();
    program.build();
    let Some(folder) = folder else {
        outcome::print(&page(&program, "fingerpad")?)?;
        return Ok(Outcome::AllGood);
    };
    std::fs::create_dir_all(folder).map_err(|e| Failure(format!("cannot make {}: {e}", folder.display())))?;
    let mut pages = Vec::new();
    collect(&program, "fingerpad", &mut pages)?;
    for (name, text) in &pages {
        outcome::write_whole(&folder.join(format!("{name}.1")), text)?;
    }
    outcome::print(&format!("{} pages in {}\n", pages.len(), folder.display()))?;
    Ok(Outcome::AllGood)
}

/// The page of a command and those of the commands under it, by name.
fn collect(command: &Command, name: &str, pages: &mut Vec<(String, String)>) -> Result<(), Failure> {
    pages.push((name.to_string(), page(command, name)?));
    for below in command.get_subcommands().filter(|c| c.get_name() != "help" && !c.is_hide_set()) {
        collect(below, &format!("{name}-{}", below.get_name()), pages)?;
    }
    Ok(())
}

fn page(command: &Command, title: &str) -> Result<String, Failure> {
    let mut text = Vec::new();
    let page = Man::new(command.clone()).title(title);
    page.render(&mut text).map_err(|e| Failure(format!("cannot make the manual page: {e}")))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
