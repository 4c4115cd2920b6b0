//! Where in a packet the measurements of a firing stand.

use super::{BLOCK_LEN, PACKET_LEN};

/// Flags of the banks of 32 lasers, as little-endian numbers.
const BANKS: [u16; 4] = [0xeeff, 0xddff, 0xccff, 0xbbff];

const BLOCKS: usize = (PACKET_LEN - 6) / BLOCK_LEN;

/// Measurements in a block.
const PER_BLOCK: usize = 32;

/// A block that is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// Where it begins in the packet.
    pub(super) offset: usize,
    /// What it begins with.
    pub(super) flag: u16,
    /// The firing whose azimuth it has.
    pub(super) column: usize,
}

/// The order of measurements in the packets of a model and a return mode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// Firings of all lasers in a packet.
    pub(super) columns: usize,
    pub(super) blocks: Vec<Block>,
    /// For each laser of each firing: where the last and the strongest return stand. With single
    /// returns both are the same place.
    pub(super) slots: Vec<[usize; 2]>,
}

impl Layout {
    /// The layout for 16, 32, 64 or 128 lasers.
    pub(super) fn new(lasers: usize, dual: bool) -> Layout {
        let returns = if dual { 2 } else { 1 };
        // Firings of 16 lasers stand two to a block, larger ones take several.
        let columns = BLOCKS * PER_BLOCK / (lasers * returns);
        let banks = lasers.div_ceil(PER_BLOCK);
        let mut blocks: Vec<Block> = Vec::new();
        let mut slots = Vec::new();
        for column in 0..columns {
            for laser in 0..lasers {
                let bank = laser / PER_BLOCK;
                // Which group of blocks of one firing, or of two of 16 lasers.
                let (group, at) = match lasers {
                    16 => (column / 2, column % 2 * 16 + laser),
                    _ => (column, laser % PER_BLOCK),
                };
                let [last, strongest] = match (dual, lasers) {
                    (false, _) => [group * banks + bank; 2],
                    // Both banks of the strongest, then both of the last.
                    (true, 64) => [group * 4 + 2 + bank, group * 4 + bank],
                    // Bank by bank, the last first.
                    (true, _) => [(group * banks + bank) * 2, (group * banks + bank) * 2 + 1],
                };
                for block in [last, strongest] {
                    let offset = block * BLOCK_LEN;
                    if blocks.iter().all(|known| known.offset != offset) {
                        let flag = BANKS.get(bank).copied().unwrap_or_default();
                        blocks.push(Block { offset, flag, column });
                    }
                }
                slots.push([last, strongest].map(|block| block * BLOCK_LEN + 4 + 3 * at));
            }
        }
        blocks.sort_by_key(|block| block.offset);
        Layout { columns, blocks, slots }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the manuals' pictures of packets, by hand.
    #[test]
    fn measurements_stand_where_the_manuals_have_them() {
        let vlp16 = Layout::new(16, false);
        assert_eq!((vlp16.columns, vlp16.blocks.len(), vlp16.slots.len()), (24, 12, 384));
        assert_eq!(vlp16.slots[16 + 3], [4 + 3 * 19; 2]);
        let both = Layout::new(16, true);
        assert_eq!((both.columns, both.slots[0], both.slots[2 * 16]), (12, [4, 104], [204, 304]));
        assert_eq!(Layout::new(32, true).columns, 6);
        let hdl64 = Layout::new(64, false);
        assert_eq!((hdl64.columns, hdl64.slots[64 + 40]), (6, [300 + 4 + 24; 2]));
        assert_eq!(hdl64.blocks[3], Block { offset: 300, flag: 0xddff, column: 1 });
        let hdl64 = Layout::new(64, true);
        assert_eq!((hdl64.columns, hdl64.slots[33]), (3, [300 + 7, 100 + 7]));
        let vls128 = Layout::new(128, false);
        assert_eq!((vls128.columns, vls128.slots[2 * 128 + 127]), (3, [1100 + 4 + 93; 2]));
        let vls128 = Layout::new(128, true);
        assert_eq!((vls128.columns, vls128.blocks.len()), (1, 8));
        assert_eq!((vls128.slots[64], vls128.blocks[5].flag), ([404, 504], 0xccff));
    }
}
