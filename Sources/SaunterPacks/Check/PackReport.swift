/// What checking some packs found.
package struct PackReport: Sendable, Hashable {
    /// All faults, in the order of files and lines; their files are given relative to the working folder where they lie in it.
    package var faults: [PackFault]
    /// What is allowed, and yet most likely a slip, and what of a very large study was not looked at; in the order of packs.
    package var hints: [PackFault]
    /// How many studies were read, each with what it names.
    package var studyCount: Int
    /// How many instrument versions were read, each once.
    package var instrumentCount: Int
    /// How many worked cases gave what they should.
    package var vectorCount: Int
    /// One line for each arm of each study without faults: the minutes that it asks of a participant a day.
    package var burden: [String]

    /// Nothing read, nothing found, unless said otherwise.
    package init(
        faults: [PackFault] = [], hints: [PackFault] = [], studyCount: Int = 0, instrumentCount: Int = 0,
        vectorCount: Int = 0,
        burden: [String] = []
    ) {
        self.faults = faults
        self.hints = hints
        self.studyCount = studyCount
        self.instrumentCount = instrumentCount
        self.vectorCount = vectorCount
        self.burden = burden
    }

    /// The last line of a check, such as `1 study, 6 instruments, 70 worked cases: no faults`.
    package var summary: String {
        func counted(_ count: Int, _ one: String, _ many: String) -> String {
            "\(count) \(count == 1 ? one : many)"
        }
        let read = [
            counted(studyCount, "study", "studies"), counted(instrumentCount, "instrument", "instruments"),
            counted(vectorCount, "worked case", "worked cases"),
        ]
        let found = faults.isEmpty ? "no faults" : counted(faults.count, "fault", "faults")
        return "\(read.joined(separator: ", ")): \(found)"
    }
}
