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
            guard !own.isEmpty, own.count < arms.count else { return }
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

/// Which arms can be asked which questionnaire. A schedule that counts from a questionnaire reaches only arms that are
/// asked it.
private struct ArmReach {
    private let study: Study
    private let all: Set<String>
    /// Questionnaire -> arms that are asked it. A questionnaire that is not here is asked in all arms.
    private var asked: [String: Set<String>] = [:]

    init(_ study: Study) {
        self.study = study
        all = Set(study.arms.map(\.code))
        let scheduled = Set(study.schedules.map(\.questionnaire)).filter { !study.isAnsweredAnyTime($0) }
        for code in scheduled { asked[code] = [] }
        // Schedules that count from each other need several rounds. Each round adds an arm, or is the last one.
        var hasGrown = true
        while hasGrown {
            hasGrown = false
            for schedule in study.schedules where scheduled.contains(schedule.questionnaire) {
                let before = asked[schedule.questionnaire] ?? []
                let after = before.union(arms(of: schedule))
                if after.count > before.count {
                    asked[schedule.questionnaire] = after
                    hasGrown = true
                }
            }
        }
    }

    func arms(asked questionnaire: String) -> Set<String> { asked[questionnaire] ?? all }

    func arms(of schedule: Schedule) -> Set<String> {
        var arms = schedule.arms.isEmpty ? all : all.intersection(schedule.arms)
        switch schedule.anchor {
        case .completion(let questionnaire), .firstCompletion(let questionnaire):
            arms.formIntersection(self.arms(asked: questionnaire))
        case .phase(let code): arms.formIntersection(self.arms(inPhase: code))
        case .enrolment, .studyDate, .walk, .event: break
        }
        if let phase = schedule.phase { arms.formIntersection(self.arms(inPhase: phase)) }
        return arms
    }

    private func arms(inPhase code: String) -> Set<String> {
        guard case .firstCompletion(let questionnaire) = study.phases.first(where: { $0.code == code })?.start
        else { return all }
        return arms(asked: questionnaire)
    }

    /// - Parameter ownItems: collection -> arms with separate items.
    func arms(of rule: DecisionRule, ownItems: [String: Set<String>]) -> Set<String> {
        let reached =
            switch rule.point {
            case .entry(let questionnaire): arms(asked: questionnaire)
            case .after(let after):
                switch after.start {
                case .firstCompletion(let questionnaire), .lastCompletion(let questionnaire):
                    arms(asked: questionnaire)
                case .enrolment, .event, .variable, .inactive: all
                }
            case .calendar, .perDay, .adaptive, .cycle, .reached, .published, .appOpen: all
            }
        guard reached == all, let content = rule.message?.content else { return reached }
        let own = ownItems[content.collection] ?? []
        return own.isEmpty ? all : own
    }

    /// The arms that get items which not every arm gets.
    func arms(withItemsOf collection: ContentCollection) -> Set<String> {
        collection.items.map { all.intersection($0.arms) }.filter { $0 != all }
            .reduce(into: Set()) { $0.formUnion($1) }
    }
}
