import SaunterCore

/// How many participants were enrolled, allocated, stopped, excluded, erased and analysed (CONSORT flow diagram).
package struct ParticipantFlow: Sendable, Hashable {
    /// The participants of one arm, without erased ones.
    package struct Arm: Sendable, Hashable {
        /// The code of the arm, or its letter if the report is blinded.
        package let name: String
        /// The number of participants who were allocated to the arm.
        package let allocated: Int
        /// Of these, the participants who left the study and keep their data in it.
        package let stopped: Int
        /// Of these, the participants whose data are excluded.
        package let excluded: Int
        /// The participants with at least one sheet in the report.
        package var analysed = 0
    }

    /// In the order of the report.
    package var arms: [Arm]
    /// The participants whose data were erased. Nil if the report contains only some arms, because the arm of an
    /// erased participant is not stored.
    package let erased: Int?

    /// The participants who ever enrolled.
    package var enrolled: Int { total(\.allocated) + (erased ?? 0) }

    private func total(_ count: (Arm) -> Int) -> Int { arms.reduce(0) { $0 + count($1) } }

    private static let steps: [(name: String, count: @Sendable (Arm) -> Int)] = [
        ("allocated", { $0.allocated }), ("stopped", { $0.stopped }), ("excluded", { $0.excluded }),
        ("analysed", { $0.analysed }),
    ]

    /// The counts as figures, first those of each arm.
    var figures: [(arm: String?, figure: ReportFigure)] {
        let ofArms = arms.flatMap { arm in
            Self.steps.map { step in
                (arm: Optional(arm.name), figure: ReportFigure(step.name, .success(Double(step.count(arm)))))
            }
        }
        let ofStudy = [("erased", erased), ("enrolled", enrolled)].compactMap { name, count in
            count.map { (arm: String?.none, figure: ReportFigure(name, .success(Double($0)))) }
        }
        return ofArms + ofStudy
    }

    /// The flow as text, for example `60 enrolled; allocated: 60 (A 30, B 30); …`.
    var sentence: String {
        let steps = Self.steps.map { step in
            let ofArms = arms.map { "\($0.name) \(step.count($0))" }.joined(separator: ", ")
            return "\(step.name): \(total(step.count))" + (arms.count > 1 ? " (\(ofArms))" : "")
        }
        let ofStudy = ["\(enrolled) enrolled"] + (erased.map { ["erased: \($0)"] } ?? [])
        return (ofStudy + steps).joined(separator: "; ")
    }

    var json: JSON {
        [
            "enrolled": .int(enrolled), "erased": .optional(erased, JSON.int),
            "arms": .array(
                arms.map { arm in
                    var object: JSONObject = ["arm": .string(arm.name)]
                    for step in Self.steps { object[step.name] = .int(step.count(arm)) }
                    return .object(object)
                }),
        ]
    }
}
