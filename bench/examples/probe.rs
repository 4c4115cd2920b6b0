#![allow(clippy::all, clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]
use std::path::Path;
use understory::scenario::Scenario;
use understory::simulate::*;
use understory_cloud::Records;
use understory_geometry::PulseRays;
fn cpu() -> f64 { let s=std::fs::read_to_string("/proc/thread-self/schedstat").unwrap(); s.split(' ').next().unwrap().parse::<f64>().unwrap()*1e-9 }
fn main(){
  let mut prepared=vec![];
  for a in std::env::args().skip(1) { let s=Scenario::load(Path::new(&a)).unwrap(); prepared.push((a.clone(),PreparedRun::new(&s).unwrap())); }
  let mut best=vec![(f64::INFINITY,f64::INFINITY);prepared.len()];
  for _ in 0..2 { for (k,(_,p)) in prepared.iter().enumerate() {
    let sensor=&p.sensors[0]; let n=sensor.pattern.first_pulse_at(0.1);
    let mut batch=Batch::default(); let mut rec=Records::default();
    let t0=cpu();
    let mut f=0; while f<n { let e=(f+1024).min(n); rec.clear(); simulate_batch(p,sensor,p.seed,f..e,&mut batch,&mut rec); f=e; }
    let t1=cpu();
    let mut tr=0.0; let mut f=0; while f<n { let e=(f+1024).min(n);
      sensor.pattern.fill(f..e,&mut batch.pulses); p.trajectory.poses_at(&batch.pulses.time_s,&sensor.platform_from_sensor,&mut batch.poses); sensor.footprint.spread(&batch.pulses,&batch.poses,&mut batch.beams);
      let b=&batch.beams; let s=cpu(); let mut hits=[None;16];
      for q in 0..b.len(){ let r=PulseRays{origin:b.origin(q),directions:b.directions_f32(q),origin_offsets:b.origin_offsets(q),t_max:sensor.detector.distance_max_m()}; p.scene.rays.trace_pulse(&r,&mut hits); std::hint::black_box(&hits);} tr+=cpu()-s; f=e; }
    best[k].0=best[k].0.min((t1-t0)/n as f64*1e6); best[k].1=best[k].1.min(tr/n as f64*1e6);
  }}
  // by channel
  println!("{:>8} {}","elev",prepared.iter().map(|p|format!("{:>14}",p.0)).collect::<String>());
  let sensor=&prepared[0].1.sensors[0]; let n=sensor.pattern.first_pulse_at(0.1);
  let mut batch=Batch::default(); sensor.pattern.fill(0..n,&mut batch.pulses);
  prepared[0].1.trajectory.poses_at(&batch.pulses.time_s,&sensor.platform_from_sensor,&mut batch.poses); sensor.footprint.spread(&batch.pulses,&batch.poses,&mut batch.beams);
  let b=&batch.beams; let chans=sensor.pattern.channels();
  let mut share=vec![0usize;chans as usize];
  for q in 0..b.len(){ share[batch.pulses.channel[q] as usize]+=1; }
  let mut tot=vec![0.0;prepared.len()];
  for c in 0..chans as usize { let qs:Vec<usize>=(0..b.len()).filter(|&q| batch.pulses.channel[q] as usize==c).collect(); if qs.is_empty(){continue}
    let d=b.directions_f32(qs[0])[0]; let mut row=format!("{:>8.2} n={:>5}",d.z.asin().to_degrees(),share[c]);
    for (k,(_,p)) in prepared.iter().enumerate(){ let mut bst=f64::INFINITY; for _ in 0..3 { let s=cpu(); let mut hits=[None;16]; for &q in &qs { let r=PulseRays{origin:b.origin(q),directions:b.directions_f32(q),origin_offsets:b.origin_offsets(q),t_max:sensor.detector.distance_max_m()}; p.scene.rays.trace_pulse(&r,&mut hits); std::hint::black_box(&hits);} bst=bst.min(cpu()-s);} tot[k]+=bst/b.len() as f64*1e6; row+=&format!("{:>14.3}",bst/qs.len() as f64*1e6); }
    println!("{row}"); }
  println!("total {:?}",tot);
  for ((a,_),b) in prepared.iter().zip(best){ println!("{a}: whole {:.3} us/pulse, trace {:.3}; rt factor of 2 threads {:.3}",b.0,b.1,2.0/b.0); }
}
