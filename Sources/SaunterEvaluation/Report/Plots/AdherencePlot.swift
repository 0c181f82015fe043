import SaunterFigures

extension AdherenceGrid {
    /// The maximum number of participants in the plot.
    private static var maximumParticipants: Int { 400 }
    /// The last day in the plot.
    private static var maximumDays: Int { 800 }

    /// A row per participant and a column per day. A day is darker if more of its due occasions were done. Days without
    /// due occasions are blank.
    var plot: String {
        let shown = participants.prefix(Self.maximumParticipants)
        let last = min(Self.maximumDays, shown.flatMap { $0.days.keys }.max() ?? 0)
        let side = last < 60 ? 11.0 : last < 200 ? 5 : 2
        var svg = SVG(
            width: 90 + Double(last + 1) * side, height: 24 + Double(shown.count) * 11,
            title: "Answered occasions of the due occasions, by participant and day of the study")
        svg.drawText("day of the study", 80, 12, anchor: "end")
        let step = last < 60 ? 7 : 28
        for day in stride(from: 0, through: last, by: step) {
            svg.drawText(String(day), 84 + (Double(day) + 0.5) * side, 12)
        }
        for (row, (pseudonym, days)) in shown.enumerated() {
            let y = 18 + Double(row) * 11
            svg.drawText(String(pseudonym.prefix(9)), 80, y + 9, anchor: "end")
            for (day, cell) in days.sorted(by: { $0.key < $1.key })
            where cell.due > 0 && (0...last).contains(day) {
                let share = Double(cell.done) / Double(cell.due)
                svg.drawBox(
                    84 + Double(day) * side, y, side - 1, 10, class: cell.done == 0 ? "missed" : "done",
                    opacity: cell.done == 0 ? 1 : 0.25 + 0.75 * min(1, share),
                    hint: "\(pseudonym), day \(day): \(cell.done) of \(cell.due) done, \(cell.late) late")
            }
        }
        return svg.text
    }

    /// A sentence for the reader if the plot omits participants or days. Nil if it omits none.
    var omissionNote: String? {
        let last = participants.flatMap { $0.days.keys }.max() ?? 0
        let shown = [
            participants.count > Self.maximumParticipants
                ? "the first \(Self.maximumParticipants) of \(participants.count) participants" : nil,
            last > Self.maximumDays ? "days 0 to \(Self.maximumDays) of \(last)" : nil,
        ].compactMap(\.self)
        return shown.isEmpty
            ? nil : "The plot shows only \(shown.joined(separator: " and ")); report.json contains all."
    }
}
