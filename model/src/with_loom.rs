//! All orders of a few threads, jobs and tables.

mod sync;

#[path = "../../crates/understory/src/run/ordered.rs"]
mod ordered;

use loom::model::Builder;
use loom::thread;
use ordered::{Alarm, Stock, stream, take};
use std::sync::Arc;
use sync::{Mutex, Sender};

/// Every order, with at most this many moments at which a thread is held up against its will.
fn all_orders(held_up: Option<usize>, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = held_up;
    builder.max_branches = 100_000;
    builder.check(model);
}

fn worker(stock: &Mutex<Stock<u64>>, full: &Sender<(u64, u64)>, jobs: u64, dies_at: Option<u64>) {
    let mut alarm = Alarm { full, ended_well: false };
    let is_job = |number: u64| (number < jobs).then_some(10 * number);
    while let Some((number, job, mut table)) = take(stock, is_job) {
        if dies_at == Some(number) {
            return;
        }
        table += 1000 + job;
        if full.send((number, table)).is_err() {
            break;
        }
    }
    alarm.ended_well = true;
}

/// Workers do all jobs; the caller takes over at most `wanted`, and gives tables back.
fn run(workers: u64, jobs: u64, tables: usize, wanted: u64, dies_at: Option<u64>) {
    let (stock, full, mut in_order) = stream::<u64>(tables, Box::new(|| false));
    let stock = Arc::new(stock);
    let threads: Vec<_> = (0..workers)
        .map(|_| {
            let (stock, full) = (Arc::clone(&stock), full.clone());
            thread::spawn(move || worker(&stock, &full, jobs, dies_at))
        })
        .collect();
    drop(full);
    let mut taken = 0;
    while taken < wanted {
        let Some(table) = in_order.next() else { break };
        // The next one, whoever did it and in whatever table.
        assert_eq!(table % 1000, 10 * taken);
        taken += 1;
        in_order.give_back(0);
    }
    match dies_at {
        None => assert_eq!(taken, wanted.min(jobs)),
        Some(dead) => assert!(taken <= dead),
    }
    if wanted > jobs && dies_at.is_none() {
        assert!(in_order.next().is_none());
    }
    drop(in_order);
    for thread in threads {
        assert!(thread.join().is_ok(), "a worker panicked");
    }
}

#[test]
fn two_workers_and_one_table() {
    all_orders(Some(3), || run(2, 2, 1, 3, None));
}

#[test]
fn two_workers_and_two_tables() {
    all_orders(Some(3), || run(2, 3, 2, 4, None));
}

#[test]
fn three_workers() {
    all_orders(Some(2), || run(3, 3, 2, 4, None));
}

#[test]
fn the_caller_leaves_early() {
    all_orders(Some(2), || run(2, 4, 2, 1, None));
    all_orders(Some(3), || run(2, 3, 1, 0, None));
}

#[test]
fn a_worker_dies() {
    all_orders(Some(3), || run(2, 3, 2, 4, Some(1)));
    all_orders(None, || run(1, 2, 1, 3, Some(0)));
}
