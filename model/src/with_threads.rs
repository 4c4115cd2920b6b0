//! The same with real threads: for Miri, with another order for each of its seeds, and
//! ThreadSanitizer.

#[path = "../../crates/understory/src/run/sync.rs"]
mod sync;

#[path = "../../crates/understory/src/run/ordered.rs"]
mod ordered;

use ordered::{Alarm, stream, take};
use std::thread;

/// Gives how many jobs the caller took over.
fn run(workers: u64, jobs: u64, tables: usize, wanted: u64, dies_at: Option<u64>) -> u64 {
    let (stock, full, mut in_order) = stream::<Vec<u64>>(tables, Box::new(|| false));
    thread::scope(|scope| {
        for _ in 0..workers {
            let (stock, full) = (&stock, full.clone());
            scope.spawn(move || {
                let mut alarm = Alarm { full: &full, ended_well: false };
                while let Some((number, job, mut table)) = take(stock, |n| (n < jobs).then_some(n))
                {
                    if dies_at == Some(number) {
                        return;
                    }
                    table.push(job);
                    if full.send((number, table)).is_err() {
                        break;
                    }
                }
                alarm.ended_well = true;
            });
        }
        drop(full);
        let mut taken = 0;
        while taken < wanted {
            let Some(mut table) = in_order.next() else { break };
            assert_eq!(table, [taken]);
            table.clear();
            in_order.give_back(table);
            taken += 1;
        }
        drop(in_order);
        taken
    })
}

#[test]
fn all_jobs_come_in_order() {
    let jobs = if cfg!(miri) { 12 } else { 2000 };
    for (workers, tables) in [(1, 1), (2, 1), (3, 2), (4, 10)] {
        assert_eq!(run(workers, jobs, tables, u64::MAX, None), jobs);
    }
}

#[test]
fn leaving_early_and_dying_end() {
    assert_eq!(run(3, 50, 4, 5, None), 5);
    assert!(run(3, 50, 4, u64::MAX, Some(7)) <= 7);
}
