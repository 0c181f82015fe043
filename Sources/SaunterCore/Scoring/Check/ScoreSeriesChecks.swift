/// Checks of the rules that use the scores of several sheets: change rules and windows.
extension ScoringCheck {
    static let maximumWindows = 10
    static let maximumWindowDays = 3660

    mutating func checkChange(_ scale: Scale, _ pointer: String) {
        guard let change = scale.change else { return }
        let elementPointer = "\(pointer)/change"
        if !(change.standardDeviation > 0 && change.standardDeviation <= 1e9) {
            faults.add("\(elementPointer)/sd", "out_of_range", "An sd is greater than 0 and at most 1e9.")
        }
        if !(change.reliability >= 0 && change.reliability < 1) {
            faults.add(
                "\(elementPointer)/reliability", "out_of_range",
                "A reliability is at least 0 and less than 1.")
        }
        if let important = change.important, !(important > 0 && important <= 1e9) {
            faults.add(
                "\(elementPointer)/important", "out_of_range",
                "An important difference is greater than 0 and at most 1e9.")
        }
        if change.source.allSatisfy(\.isWhitespace) {
            faults.add(
                "\(elementPointer)/source", "no_source", "A change rule needs the source of its numbers.")
        }
    }

    mutating func checkWindows(_ scale: Scale, _ pointer: String) {
        guard scale.windows.count <= Self.maximumWindows else {
            return faults.add(
                "\(pointer)/windows", "too_many_windows",
                "A scale has at most \(Self.maximumWindows) windows.")
        }
        var seen: Set<String> = []
        for (index, window) in scale.windows.enumerated() {
            let elementPointer = "\(pointer)/windows/\(index)"
            if !DefinitionName.isValid(window.id) {
                faults.add("\(elementPointer)/id", "bad_id", DefinitionName.rule)
            }
            if !seen.insert(window.id).inserted {
                faults.add(
                    "\(elementPointer)/id", "duplicate_id", "An earlier window has the id \(window.id).")
            }
            if let days = window.days, !(1...Self.maximumWindowDays).contains(days) {
                faults.add(
                    "\(elementPointer)/days", "out_of_range",
                    "A window has 1 to \(Self.maximumWindowDays) days.")
            }
            if !(1...10_000).contains(window.minimum) {
                faults.add(
                    "\(elementPointer)/minimum", "out_of_range", "The minimum is from 1 to 10,000 scores.")
            }
        }
    }
}
