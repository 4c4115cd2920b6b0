//! Text in aligned columns: names to the left, numbers to the right.

/// Which way a column leans.
#[derive(Clone, Copy, PartialEq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Rows under headings.
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these headings.
    pub fn new(columns: &[(&str, Align)]) -> Table {
        let columns = columns.iter().map(|(name, align)| ((*name).to_owned(), *align)).collect();
        Table { columns, rows: Vec::new() }
    }

    /// Adds a row; cells that are missing stay empty.
    pub fn row<Cell: Into<String>>(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The whole as text, each line ended.
    pub fn render(&self) -> String {
        let cell = |row: &[String], column: usize| row.get(column).cloned().unwrap_or_default();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|column| {
                let rows = self.rows.iter().map(|row| cell(row, column).chars().count());
                rows.chain([self.columns[column].0.chars().count()]).max().unwrap_or(0)
            })
            .collect();
        let headings: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        let mut text = String::new();
        for row in std::iter::once(&headings).chain(&self.rows) {
            let mut line = String::new();
            for (column, (_, align)) in self.columns.iter().enumerate() {
                let (cell, width) = (cell(row, column), widths[column]);
                let padded = match align {
                    Align::Left => format!("{cell:<width$}"),
                    Align::Right => format!("{cell:>width$}"),
                };
                line += &format!("{}{padded}", if column > 0 { "  " } else { "" });
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

/// `name: value` lines with the values under each other.
pub fn facts(facts: &[(&str, String)]) -> String {
    let width = facts.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    facts.iter().map(|(name, value)| format!("{name:<width$}  {value}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_under_each_other() {
        let mut table = Table::new(&[("name", Align::Left), ("n", Align::Right)]);
        table.row(["a", "10"]);
        table.row(["longer", "9"]);
        assert_eq!(table.render(), "name     n\na       10\nlonger   9\n");
    }

    #[test]
    fn facts_stand_under_each_other() {
        assert_eq!(facts(&[("a", "1".into()), ("bcd", "2".into())]), "a    1\nbcd  2\n");
    }
}
