/// What the arms of a study do not have in common. Letters in place of arms cannot hide it, because pages, datasets and
/// messages show who gets what.
package struct ArmDifferences: Sendable, Hashable {
    /// The kinds of parts of a study.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A questionnaire that only some arms are asked.
        case questionnaire
        /// A schedule that plans occasions for some arms only.
        case schedule
        /// A rule that only some arms can reach, or whose message selects other items for some arms.
        case rule
        /// A collection with items for some arms only.
        case collection
        /// The signal of the device above the target speed of a walk.
        case walkSignal = "walk_signal"
    }

    /// One part of a study that is not the same in all arms.
    package struct Part: Sendable, Hashable {
        package var kind: Kind
        /// The code of the part.
        package var code: String
        /// The arms that get the part, or separate items, in the order of the study.
        package var arms: [String]

        package init(kind: Kind, code: String, arms: [String]) {
            self.kind = kind
            self.code = code
            self.arms = arms
        }
    }

    /// By kind, each in the order of the study.
    package var parts: [Part]
    /// Whether the arms have different shares.
    package var hasUnequalRatios: Bool

    package init(parts: [Part], hasUnequalRatios: Bool) {
        self.parts = parts
        self.hasUnequalRatios = hasUnequalRatios
    }
}

extension Study {
    /// What the arms do not have in common. Conditions of rules and collections are not evaluated.
    /// - Parameter library: the content library; nil if the study has none.
    package func armDifferences(_ library: Library? = nil) -> ArmDifferences {
        let reach = ArmReach(self)
        let collections = library?.collections ?? []
        let ownItems = Dictionary(
            collections.map { ($0.code, reach.arms(withItemsOf: $0)) },
            uniquingKeysWith: { first, _ in first })
        var parts: [ArmDifferences.Part] = []
        func compare(_ kind: ArmDifferences.Kind, _ code: String, _ some: Set<String>) {
            let own = arms.map(\.code).filter { some.contains($0) }
            guard reach.isOfSomeArms(some) else { return }
            parts.append(ArmDifferences.Part(kind: kind, code: code, arms: own))
        }
        for questionnaire in questionnaires {
            compare(.questionnaire, questionnaire.code, reach.arms(asked: questionnaire.code))
        }
        for schedule in schedules { compare(.schedule, schedule.id, reach.arms(of: schedule)) }
        for rule in rules { compare(.rule, rule.code, reach.arms(of: rule, ownItems: ownItems)) }
        for collection in collections {
            compare(.collection, collection.code, ownItems[collection.code] ?? [])
        }
        compare(.walkSignal, "target_feedback", Set(walking?.targetFeedbackArms ?? []))
        return ArmDifferences(parts: parts, hasUnequalRatios: hasUnequalRatios)
    }
}
