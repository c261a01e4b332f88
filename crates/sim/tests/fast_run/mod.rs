//! A run by fixed steps with eyes on the ledger.
#![allow(dead_code)] // each test takes what it needs

use fingerpad_sim::{FixedReport, FixedStep, FixedWorkspace, Ledger, Model, State, Stepper, Workspace, ledger};

/// A run with eyes on the ledger.
pub struct Run {
    pub model: Model,
    pub state: State,
    pub work: FixedWorkspace,
    pub eyes: Workspace,
    pub fast: FixedStep,
    pub first: Ledger,
    pub sum: FixedReport,
    /// Most that the mechanical energy less injected work rose in one step (J).
    pub rise: f64,
}

impl Run {
    pub fn new(model: Model, step: f64) -> Self {
        let state = model.start().unwrap();
        let work = FixedWorkspace::new(&model).unwrap();
        let mut eyes = Workspace::new(&model, &state);
        let first = ledger(&model, &state, &mut eyes).unwrap();
        let fast = FixedStep { step, ..FixedStep::default() };
        Self { model, state, work, eyes, fast, first, sum: FixedReport::default(), rise: 0.0 }
    }

    pub fn to(&mut self, until: f64) -> Ledger {
        let mut last = mechanical(&self.ledger());
        while self.state.time < until - 0.5 * self.fast.step {
            let report = self.fast.step(&self.model, &mut self.state, &mut self.work).unwrap();
            self.sum.steps += 1;
            self.sum.repeated += report.repeated;
            self.sum.newton += report.newton;
            self.sum.unconverged += report.unconverged;
            self.sum.open += report.open;
            self.sum.contacts += report.contacts;
            self.sum.least_loss = self.sum.least_loss.min(report.least_loss);
            self.sum.added.E_geo_size += report.added.E_geo_size;
            let now = mechanical(&self.ledger());
            self.rise = self.rise.max(now - last);
            last = now;
        }
        self.ledger()
    }

    /// Without looking at each step.
    pub fn quickly_to(&mut self, until: f64) -> Ledger {
        let report = self.fast.advance(&self.model, &mut self.state, &mut self.work, until).unwrap();
        self.sum.unconverged += report.unconverged;
        self.sum.open += report.open;
        self.sum.least_loss = self.sum.least_loss.min(report.least_loss);
        self.ledger()
    }

    pub fn ledger(&mut self) -> Ledger {
        ledger(&self.model, &self.state, &mut self.eyes).unwrap()
    }

    /// R1, R2, R4: no loss negative, the ledger closes, the energy never rises.
    pub fn check(&mut self, name: &str, reference: f64) {
        let drift = (self.ledger().total() - self.first.total()).abs() / reference;
        println!("{name}: drift {drift:.1e}, rise {:.1e}, {:?}", self.rise / reference, self.sum);
        assert!(drift <= 1e-12 * (self.sum.steps as f64 / 1e4).max(1.0), "{name}: drift {drift:e}");
        assert!(self.sum.least_loss >= -1e-14 * reference, "{name}: loss {:e}", self.sum.least_loss);
        assert!(self.rise <= 1e-9 * reference, "{name}: rise {:e} of {reference}", self.rise);
    }
}

pub fn mechanical(l: &Ledger) -> f64 {
    l.KE + l.PE + l.V_normal + l.V_tangential - l.W_injected - l.modulation
}
