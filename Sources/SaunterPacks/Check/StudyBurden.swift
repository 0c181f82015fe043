import SaunterCore

/// The minutes per day that the questionnaires of a study take a participant.
package struct StudyBurden: Sendable, Hashable {
    /// The code of the study.
    package var study: String
    /// The code of the arm.
    package var arm: String
    /// The code of the phase; nil for the whole study.
    package var phase: String?
    /// Rounded to tenths.
    package var minutesPerDay: Double
    /// The minutes of the busiest day, by the schedules that count from the enrolment, rounded to tenths. Nil if there
    /// are none, and for a phase.
    package var busiestDayMinutes: Double?
    /// Whether one walk a day is assumed.
    package var includesWalks: Bool

    /// Each arm of a study, followed by its phases.
    static func all(of study: Study) -> [Self] {
        let burden = Burden(of: study)
        return study.arms.flatMap { arm in
            func one(_ minutes: Double, phase: String? = nil, busiest: Double? = nil) -> Self {
                StudyBurden(
                    study: study.code, arm: arm.code, phase: phase, minutesPerDay: tenths(minutes),
                    busiestDayMinutes: busiest.map(tenths), includesWalks: study.walking != nil)
            }
            let busiest = burden.minutesOfBusiestDay(arm: arm.code)
            return [one(burden.minutesPerDay(arm: arm.code), busiest: busiest > 0 ? busiest : nil)]
                + study.phases.compactMap { phase in
                    burden.minutesPerDay(arm: arm.code, phase: phase.code).map { one($0, phase: phase.code) }
                }
        }
    }

    private static func tenths(_ minutes: Double) -> Double { (minutes * 10).rounded() / 10 }

    /// A line for a terminal.
    package var text: String {
        let during = phase.map { ", phase \($0)" } ?? ""
        let walks = includesWalks ? ", with one walk a day" : ""
        let busiest =
            busiestDayMinutes.map {
                "; \($0) minutes on the busiest day (only schedules that count from enrolment)"
            } ?? ""
        return
            "\(study), arm \(arm)\(during): \(minutesPerDay) minutes of questionnaires a day\(walks)\(busiest)"
    }
}

/// The numbers of items in the library of a study.
package struct LibrarySize: Sendable, Hashable {
    /// What is counted.
    package enum Kind: String, Sendable, CaseIterable {
        /// Items of a collection.
        case collection
        /// Practices of a programme.
        case programme
    }

    /// One collection or programme.
    package struct Part: Sendable, Hashable {
        package var code: String
        package var count: Int
    }

    /// The code of the study.
    package var study: String
    package var kind: Kind
    package var parts: [Part]

    /// The collections and the programmes of a library. A kind without parts is left out.
    static func all(of library: Library, in study: String) -> [Self] {
        let collections = library.collections.map { Part(code: $0.code, count: $0.items.count) }
        let programmes = library.programmes.map { Part(code: $0.code, count: $0.modules.count) }
        return [
            LibrarySize(study: study, kind: .collection, parts: collections),
            LibrarySize(study: study, kind: .programme, parts: programmes),
        ].filter { !$0.parts.isEmpty }
    }

    /// A line for a terminal.
    package var text: String {
        let counts = parts.map { "\($0.code) \($0.count)" }.joined(separator: ", ")
        return switch kind {
        case .collection: "\(study), library: items in \(counts)"
        case .programme: "\(study), library: practices in the programmes \(counts)"
        }
    }
}
