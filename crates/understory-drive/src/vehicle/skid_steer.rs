//! Skid steering by instantaneous centres of rotation (Mandow et al. 2007): wheel speeds ↔ motion.
//!
//! With x to the right and y ahead, the wheels of each side turn about a centre at (x_l, ·) or
//! (x_r, ·) and the body about one at (·, y_v):
//!
//! (v_x, v_y, ω) = 1/(x_r − x_l) · [[−y_v α_l, y_v α_r], [x_r α_l, −x_l α_r], [−α_l, α_r]] · (V_l, V_r)
//!
//! A vehicle that does not slip has its centres at its wheels and α = 1: differential steering.

use crate::command::Command;

/// How a vehicle skids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkidSteer {
    /// Shares of wheel speed that get to the ground, left and right.
    pub alpha: [f64; 2],
    /// Centres of rotation x_l and x_r.
    pub icr_m: [f64; 2],
    /// y_v.
    pub icr_forward_m: f64,
}

impl SkidSteer {
    /// Two wheels so far apart that do not slip.
    pub fn differential(track_m: f64) -> SkidSteer {
        SkidSteer { alpha: [1.0; 2], icr_m: [-0.5 * track_m, 0.5 * track_m], icr_forward_m: 0.0 }
    }

    /// Speed ahead, speed to the left and rate of turning for speeds of the left and right wheels.
    pub fn rates(&self, [left, right]: [f64; 2]) -> [f64; 3] {
        let ([x_l, x_r], [a_l, a_r]) = (self.icr_m, self.alpha);
        let (left, right) = (a_l * left, a_r * right);
        let apart = x_r - x_l;
        let turn = (right - left) / apart;
        let to_the_right = self.icr_forward_m * turn;
        [(x_r * left - x_l * right) / apart, -to_the_right, turn]
    }

    /// Wheel speeds for a speed ahead and a rate of turning.
    pub fn wheels(&self, command: Command) -> [f64; 2] {
        let Command { speed_m_s, turn_rad_s } = command;
        let of = |side: usize| (speed_m_s + self.icr_m[side] * turn_rad_s) / self.alpha[side];
        [of(0), of(1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The matrix as the paper prints it, multiplied out by hand.
    #[test]
    fn the_matrix_is_that_of_the_paper() {
        let skid =
            SkidSteer { alpha: [0.9464, 0.9253], icr_m: [-0.2758, 0.2998], icr_forward_m: -0.0080 };
        let (v_l, v_r) = (0.5, 0.8);
        let k = 1.0 / (0.2998 + 0.2758);
        let v_x = k * (0.0080 * 0.9464 * v_l - 0.0080 * 0.9253 * v_r);
        let v_y = k * (0.2998 * 0.9464 * v_l + 0.2758 * 0.9253 * v_r);
        let turn = k * (-0.9464 * v_l + 0.9253 * v_r);
        let [ahead, left, rate] = skid.rates([v_l, v_r]);
        for (ours, theirs) in [(ahead, v_y), (-left, v_x), (rate, turn)] {
            assert!((ours - theirs).abs() < 1e-12, "{ours} {theirs}");
        }
    }

    #[test]
    fn commands_are_met() {
        let skid = SkidSteer { alpha: [0.95, 0.9], icr_m: [-1.0, 1.2], icr_forward_m: 0.1 };
        for (speed, turn) in [(2.0, 0.0), (1.0, 0.7), (-0.5, -0.3), (0.0, 1.0)] {
            let [ahead, _, rate] = skid.rates(skid.wheels(Command::new(speed, turn)));
            assert!((ahead - speed).abs() < 1e-12 && (rate - turn).abs() < 1e-12);
        }
    }
}
