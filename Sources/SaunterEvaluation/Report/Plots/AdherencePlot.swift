extension AdherenceGrid {
    /// How many people and days are drawn at most.
    private static var mostPeople: Int { 400 }
    private static var mostDays: Int { 800 }

    /// A row for each person, a column for each day; the more of what was due was done, the darker. Days on
    /// which nothing was due are blank.
    var plot: String {
        let shown = people.prefix(Self.mostPeople)
        let last = min(Self.mostDays, shown.flatMap { $0.days.keys }.max() ?? 0)
        let side = last < 60 ? 11.0 : last < 200 ? 5 : 2
        var svg = SVG(
            width: 90 + Double(last + 1) * side, height: 24 + Double(shown.count) * 11,
            title: "What was done of what was due, by person and day of the study")
        let step = last < 60 ? 7 : 28
        for day in stride(from: 0, through: last, by: step) {
            svg.text(String(day), 84 + (Double(day) + 0.5) * side, 12)
        }
        for (row, (person, days)) in shown.enumerated() {
            let y = 18 + Double(row) * 11
            svg.text(String(person.prefix(9)), 80, y + 9, anchor: "end")
            for (day, cell) in days.sorted(by: { $0.key < $1.key })
            where cell.due > 0 && (0...last).contains(day) {
                let share = Double(cell.done) / Double(cell.due)
                svg.box(
                    84 + Double(day) * side, y, side - 1, 10, class: cell.done == 0 ? "missed" : "done",
                    opacity: cell.done == 0 ? 1 : 0.25 + 0.75 * min(1, share),
                    hint: "\(person), day \(day): \(cell.done) of \(cell.due) done, \(cell.late) late")
            }
        }
        return svg.text
    }

    /// What the drawing leaves out, if anything.
    var leftOut: String? {
        people.count > Self.mostPeople
            ? "The first \(Self.mostPeople) of \(people.count) people are drawn; report.json holds all." : nil
    }
}
