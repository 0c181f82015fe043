extension ScoringCheck {
    static let maximumWindows = 10
    static let maximumWindowDays = 3660

    mutating func checkWindows(_ scale: Scale, _ pointer: String) {
        guard scale.windows.count <= Self.maximumWindows else {
            return faults.add(
                "\(pointer)/windows", "too_many_windows", "At most \(Self.maximumWindows) windows are taken.")
        }
        var seen: Set<String> = []
        for (index, window) in scale.windows.enumerated() {
            let here = "\(pointer)/windows/\(index)"
            if !DefinitionName.isValid(window.id) { faults.add("\(here)/id", "bad_id", DefinitionName.rule) }
            if !seen.insert(window.id).inserted {
                faults.add("\(here)/id", "duplicate_id", "An earlier window has the id \(window.id).")
            }
            if let days = window.days, !(1...Self.maximumWindowDays).contains(days) {
                faults.add(
                    "\(here)/days", "out_of_range", "A window has 1 to \(Self.maximumWindowDays) days.")
            }
            if !(1...10_000).contains(window.minimum) {
                faults.add("\(here)/minimum", "out_of_range", "From 1 to 10,000 scores are needed.")
            }
        }
    }
}
