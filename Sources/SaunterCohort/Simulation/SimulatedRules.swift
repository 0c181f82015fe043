import Foundation
import SaunterCore

/// The decision rules of a study, and what is needed to evaluate them for simulated participants without a server.
struct SimulatedRules: Sendable {
    let plan: RulePlan
    /// The seed of all draws of rules.
    let drawSeed: [UInt8]
    let seed: UInt64
    private let model: AnswerModel
    /// Code -> definition, of the questionnaires whose answers the rules need.
    private let definitions: [String: JSON]
    private let indices: [String: QuestionnaireIndex]
    /// Questionnaire -> the link of its entries.
    private let references: [String: AnyTimeRule.Reference]

    /// Nil for a study without rules.
    /// - Parameter hints: how participants answer, by code of the questionnaire.
    init?(_ study: Study, hints: [String: AnswerHints], seed: UInt64) {
        guard !study.rules.isEmpty else { return nil }
        let plan = RulePlan(study)
        self.plan = plan
        self.seed = seed
        drawSeed = Array("saunter.simulation \(seed)".utf8)
        model = AnswerModel(study, hints: hints)
        var answered = plan.needs.scores.union(plan.needs.answers.keys).union(study.settings)
        if !plan.needs.scores.isEmpty { answered.formUnion(study.covariates.map(\.questionnaire)) }
        let questionnaires = study.questionnaires.filter { answered.contains($0.code) }
        let language = study.languages.first ?? "en"
        definitions = Dictionary(
            questionnaires.map { ($0.code, $0.json(language: language)) },
            uniquingKeysWith: { first, _ in first })
        indices = Dictionary(
            questionnaires.map { ($0.code, QuestionnaireIndex($0)) }, uniquingKeysWith: { first, _ in first })
        references = Dictionary(
            study.anyTime.compactMap { rule in rule.refersTo.map { (rule.questionnaire, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// A sheet as the server receives it.
    struct Sheet: Sendable {
        let id: SheetID
        let questionnaire: String
        let receivedAt: Instant
        /// Its answers are nil if the rules do not need them.
        let fact: VariableFacts.Sheet
    }

    /// A walk as the server receives it.
    struct Walk: Sendable {
        let id: UUID
        let receivedAt: Instant
        let endedAt: Instant
        /// Without metrics.
        let fact: VariableFacts.WalkFact
    }

    /// The sheets of a participant in the order of arrival, with the answers that the participant gives through the
    /// API. A sheet that the server would reject is left out.
    func sheets(of participant: ParticipantSimulation) -> [Sheet] {
        let course = participant.course
        let isTreated = isTreated(in: participant.arm)
        var person = Person(index: course.index, seed: seed)
        let kinds = plan.study.dataKinds.map(\.code)
        let permitted = Set(Participant.permittedKinds(among: kinds, of: person, seed: seed))
        var latestEntry: [String: SheetID] = [:]
        var facts: [VariableFacts.Sheet] = []
        for sheet in participant.completedSheets {
            let reference = references[sheet.questionnaire]
            let refersTo = reference.flatMap { latestEntry[$0.questionnaire] }
            if reference?.isRequired == true, refersTo == nil { continue }
            latestEntry[sheet.questionnaire] = sheet.id
            person.zone = course.zone(at: sheet.at)
            let date = person.zone.local(of: sheet.at).date
            var fact = VariableFacts.Sheet(
                id: sheet.id, questionnaire: sheet.questionnaire, completedAt: sheet.at,
                offsetMinutes: person.zone.offset(at: sheet.at) / 60, refersTo: refersTo)
            if let definition = definitions[sheet.questionnaire], let index = indices[sheet.questionnaire] {
                var numbers = sheet.draws.numbers(of: course.index, seed: seed)
                let form = FilledForm(
                    definition, completedAt: sheet.at, by: person,
                    day: date.days - participant.enrolledOn.days,
                    permitted: permitted, isTreated: isTreated, model: model, &numbers)
                do throws(Faults) {
                    fact.answers = .sheet(
                        try AnswerSheet(
                            answers: form.answers, of: index, today: date,
                            forbiddenKinds: index.dataKinds.subtracting(permitted)))
                } catch {
                    // Participants do not know rules over several items. The server rejects such a sheet.
                    continue
                }
            }
            facts.append(fact)
        }
        if !plan.needs.scores.isEmpty {
            facts.setScores(
                by: indices, covariates: plan.study.covariates, arm: participant.arm ?? "")
        }
        return facts.map {
            Sheet(
                id: $0.id, questionnaire: $0.questionnaire,
                receivedAt: course.receiptTime(of: $0.completedAt),
                fact: $0)
        }.sorted { ($0.receivedAt, $0.fact.completedAt, $0.id) < ($1.receivedAt, $1.fact.completedAt, $1.id) }
    }

    /// The walks of a participant in the order of arrival.
    func walks(of participant: ParticipantSimulation) -> [Walk] {
        let course = participant.course
        return course.walks.map { walk in
            var numbers = SheetDraws.numbers(ofActionAt: walk, of: course.index, seed: seed)
            let (startedAt, endedAt) = SimulatedWalk.times(of: walk, numbers: numbers)
            let (id, receivedAt) = (numbers.uuid(at: startedAt), course.receiptTime(of: walk))
            return Walk(
                id: id, receivedAt: receivedAt, endedAt: endedAt,
                fact: VariableFacts.WalkFact(
                    startedAt: startedAt, offsetMinutes: course.zone(at: walk).offset(at: startedAt) / 60,
                    arrival: VariableFacts.Arrival("walk", id, at: receivedAt)))
        }.sorted { ($0.receivedAt, $0.endedAt) < ($1.receivedAt, $1.endedAt) }
    }

    /// Whether the participant's answers show the effect of the treatment. Through the API the participant does not
    /// know a concealed arm, but its target feedback.
    private func isTreated(in arm: String?) -> Bool {
        guard let arm, let treated = model.treatedArm else { return false }
        let study = plan.study
        return study.walking?.targetFeedbackArms.contains(arm) ?? false
            || arm == treated && !study.allocation.isConcealed
    }
}

/// From which draws the answers of a sheet follow. They are the same with and without a server.
enum SheetDraws: Sendable {
    case occasion(AnswerPlanner.DrawKey)
    /// A sheet without an occasion, by its index in the participant's course.
    case unscheduled(Int)

    /// - Parameter participant: the index of the participant.
    func numbers(of participant: Int, seed: UInt64) -> SeededNumbers {
        switch self {
        case .occasion(let key):
            SeededNumbers(
                seed: seed, 42, participant, AnswerPlanner.hash(of: key.schedule), key.day, key.ordinal)
        case .unscheduled(let index): SeededNumbers(seed: seed, 43, participant, index)
        }
    }

    /// The draws of another action, such as a walk.
    static func numbers(ofActionAt moment: Instant, of participant: Int, seed: UInt64) -> SeededNumbers {
        SeededNumbers(seed: seed, 41, participant, Int(truncatingIfNeeded: moment.milliseconds))
    }
}
