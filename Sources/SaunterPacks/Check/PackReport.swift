/// The result of checking packs.
package struct PackReport: Sendable, Hashable {
    /// All faults, sorted by file and line. Paths are relative to the working directory if it contains the files.
    package var faults: [PackFault]
    /// Permitted definitions that are probably mistakes, and the parts of a very large study that were not checked. In
    /// the order of packs.
    package var hints: [PackFault]
    /// The number of studies that were read.
    package var studyCount: Int
    /// The number of different instrument versions that were read.
    package var instrumentCount: Int
    /// The number of test vectors (worked cases in the output).
    package var vectorCount: Int
    /// For each study without faults: each arm, then each phase of the arm.
    package var burden: [StudyBurden]
    /// For each study without faults that has a library: its collections, then its programmes.
    package var libraries: [LibrarySize]

    /// The default is an empty report.
    package init(
        faults: [PackFault] = [], hints: [PackFault] = [], studyCount: Int = 0, instrumentCount: Int = 0,
        vectorCount: Int = 0,
        burden: [StudyBurden] = [], libraries: [LibrarySize] = []
    ) {
        self.faults = faults
        self.hints = hints
        self.studyCount = studyCount
        self.instrumentCount = instrumentCount
        self.vectorCount = vectorCount
        self.burden = burden
        self.libraries = libraries
    }

    /// The burden and the sizes of libraries as lines for a terminal.
    package var lines: [String] { burden.map(\.text) + libraries.map(\.text) }

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
