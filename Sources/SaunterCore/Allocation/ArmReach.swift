/// Which arms can be asked which questionnaire, and which can reach a schedule or a rule. A schedule or rule that
/// counts from a questionnaire reaches only arms that are asked it. Conditions and the origin of events are not
/// considered.
struct ArmReach {
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

    /// Whether some arms of the study are in the set, and others are not.
    func isOfSomeArms(_ arms: Set<String>) -> Bool {
        let own = arms.intersection(all)
        return !own.isEmpty && own.count < all.count
    }

    func arms(asked questionnaire: String) -> Set<String> { asked[questionnaire] ?? all }

    func arms(of schedule: Schedule) -> Set<String> {
        var arms = schedule.arms.isEmpty ? all : all.intersection(schedule.arms)
        switch schedule.anchor {
        case .completion, .completionOfAny, .completionOfPractice, .firstCompletion:
            let followed = study.questionnaires(followedBy: schedule.anchor)
            arms.formIntersection(followed.reduce(into: Set<String>()) { $0.formUnion(self.arms(asked: $1)) })
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

    /// - Parameter ownItems: collection -> arms with separate items; empty if the items do not matter.
    func arms(of rule: DecisionRule, ownItems: [String: Set<String>] = [:]) -> Set<String> {
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
