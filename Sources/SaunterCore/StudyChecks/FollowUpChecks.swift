/// Checks whether schedules that follow answered questionnaires can begin, and whether they end.
extension StudyCheck {
    /// - Parameter positions: positions of the schedules without faults. All other schedules are assumed to begin,
    ///   because their faults are already reported.
    mutating func checkFollowUps(of positions: [Int]) {
        checkMultiplication(of: positions)
        let arms: [String?] = study.arms.isEmpty ? [nil] : study.arms.map(\.code)
        let validPositions = Set(positions)
        let awaitedQuestionnaires = study.schedules.map { awaited(by: $0) }
        var checkedSelections: Set<[Int]> = []
        var unreachable: Set<Int> = []
        // Cycle of schedules that trigger each other -> whether it never ends.
        var cycles: [[Int]: Bool] = [:]
        var share = budget.takeShare(among: 4)
        var isIncomplete = false
        for arm in arms {
            let applicable = study.schedules.indices.filter { study.schedules[$0].applies(to: arm) }
            guard checkedSelections.insert(applicable).inserted else { continue }
            let unreachableInArm = unreachableSchedules(
                applicable, validPositions: validPositions, awaitedQuestionnaires)
            unreachable.formUnion(unreachableInArm)
            let followers = applicable.filter {
                validPositions.contains($0) && !unreachableInArm.contains($0) && followsImmediately($0)
            }
            let followersByAnchor = Dictionary(grouping: followers) { study.schedules[$0].anchor }
            for first in followers {
                guard let cycle = cycle(from: first, followersByAnchor)?.sorted(), cycles[cycle] == nil else {
                    continue
                }
                // Sorting the windows costs more than visiting them.
                let cost = 16 * cycle.reduce(0) { $0 + study.schedules[$1].slots.count }
                if cost > share.remaining { isIncomplete = true } else { cycles[cycle] = isEndless(cycle) }
                share.spend(cost)
            }
        }
        budget.refund(share)
        if isIncomplete {
            hints.add(
                "/schedules", "followed_in_part",
                "\(Self.tooLarge): not all cycles of questionnaires that trigger each other were checked."
            )
        }
        for position in unreachable.sorted() {
            faults.add(
                "/schedules/\(position)/\(waitingPart(of: study.schedules[position]))", "never_begins",
                "The schedule never begins: the questionnaire that it waits for is asked only after the schedule has begun."
            )
        }
        let endless = cycles.filter(\.value).keys
        for cycle in endless.sorted(by: { $0.lexicographicallyPrecedes($1) }) { reportEndless(cycle) }
    }

    /// Reports each schedule whose sheets lead to more and more sheets.
    private mutating func checkMultiplication(of positions: [Int]) {
        for position in positions where study.schedules[position].maxPerDay == nil && multiplies(position) {
            faults.add(
                "/schedules/\(position)/anchor", "multiplies",
                """
                Each sheet would lead to several other sheets, and each of those to several more. A schedule that follows its \
                own sheets needs a single window or a `max_per_day`.
                """
            )
        }
    }

    /// Reports a cycle of schedules that trigger each other without end.
    private mutating func reportEndless(_ cycle: [Int]) {
        let ids = cycle.map { study.schedules[$0].id }.joined(separator: " and ")
        faults.add(
            "/schedules/\(cycle[0])/anchor", "endless",
            """
            \(ids) would trigger each other without end. One of them needs an offset of at least one \
            day, or a `max_per_day`.
            """
        )
    }

    /// Whether each sheet leads to more than one occasion of the same questionnaire.
    private func multiplies(_ position: Int) -> Bool {
        let schedule = study.schedules[position]
        guard schedule.anchor == .completion(questionnaire: schedule.questionnaire) else { return false }
        let nominal = nominal(position)
        return nominal.days(enrolledOn: Study.monday).count * nominal.windowsPerDay > 1
    }

    /// The member of the schedule that refers to the awaited questionnaire.
    private func waitingPart(of schedule: Schedule) -> String {
        switch schedule.anchor {
        case .completion, .firstCompletion: "anchor"
        default: schedule.phase == nil ? "anchor" : "phase"
        }
    }

    /// The schedules of one arm that can never begin, because they wait for sheets that cannot be submitted before.
    /// - Parameter awaited: by position, the questionnaires that each schedule waits for.
    private func unreachableSchedules(_ applicable: [Int], validPositions: Set<Int>, _ awaited: [[String]])
        -> Set<Int>
    {
        let asked = Set(applicable.map { study.schedules[$0].questionnaire })
        var answered = Set(study.anyTime.map(\.questionnaire) + study.settings)
        var waiting = Set(applicable)
        while true {
            let begun = waiting.filter { position in
                // A questionnaire that no schedule asks is reported at the reference to it.
                !validPositions.contains(position)
                    || awaited[position].allSatisfy {
                        answered.contains($0) || !asked.contains($0)
                    }
            }
            if begun.isEmpty { return waiting }
            waiting.subtract(begun)
            answered.formUnion(begun.map { study.schedules[$0].questionnaire })
        }
    }

    /// Questionnaires that must have a sheet before the schedule has any window.
    private func awaited(by schedule: Schedule) -> [String] {
        var codes: [String] = []
        var phases = [schedule.phase]
        switch schedule.anchor {
        case .completion(let code), .firstCompletion(let code): codes.append(code)
        case .phase(let code): phases.append(code)
        case .enrolment, .studyDate, .walk, .event: break
        }
        for code in phases.compactMap({ $0 }) {
            if case .firstCompletion(let awaited)? = study.phase(code)?.start { codes.append(awaited) }
        }
        return codes
    }

    /// Whether each sheet leads to an occasion on the same day, without a daily maximum.
    private func followsImmediately(_ position: Int) -> Bool {
        let schedule = study.schedules[position]
        guard case .completion = schedule.anchor else { return false }
        return schedule.offsetDays == 0 && schedule.maxPerDay == nil
    }

    /// The shortest cycle by which the sheets of this schedule trigger the schedule again. Nil if there is none.
    /// Breadth-first search.
    /// - Parameter followersByAnchor: positions of schedules by their anchor.
    private func cycle(from first: Int, _ followersByAnchor: [Anchor: [Int]]) -> [Int]? {
        let firstAnchor = study.schedules[first].anchor
        var paths = [[first]]
        var seen: Set<String> = [study.schedules[first].questionnaire]
        while !paths.isEmpty {
            var longer: [[Int]] = []
            for path in paths {
                let last = study.schedules[path[path.count - 1]]
                let sheet = Anchor.completion(questionnaire: last.questionnaire)
                if sheet == firstAnchor { return path }
                for next in followersByAnchor[sheet] ?? [] {
                    let isNew = seen.insert(study.schedules[next].questionnaire).inserted
                    if isNew { longer.append(path + [next]) }
                }
            }
            paths = longer
        }
        return nil
    }

    /// Whether the complete cycle takes less than a day and its windows overlap at some time of day.
    private func isEndless(_ cycle: [Int]) -> Bool {
        let slots = cycle.map { study.schedules[$0].slots }
        let delay = slots.reduce(0) { sum, slots in
            sum + (slots.filter(\.opensAfterAnchor).map(\.nominalSpan.lowerBound).min() ?? 0)
        }
        // A slot that opens after its sheet can open at any time of day, so it does not restrict the cycle.
        let spans = slots.filter { !$0.contains(where: \.opensAfterAnchor) }.map { $0.map(\.nominalSpan) }
        return delay < 86_400 && (spans.isEmpty || Self.overlapAtOneMoment(spans))
    }

    /// Whether there is an instant that each list covers with at least one span.
    private static func overlapAtOneMoment(_ lists: [[Range<Int>]]) -> Bool {
        // Merges the spans of each list, so that each list counts once at any instant.
        let edges = lists.flatMap { spans -> [(at: Int, step: Int)] in
            var end = Int.min
            return spans.sorted { $0.lowerBound < $1.lowerBound }.flatMap { span -> [(at: Int, step: Int)] in
                let rest = max(span.lowerBound, end)
                guard rest < span.upperBound else { return [] }
                end = span.upperBound
                return [(rest, 1), (span.upperBound, -1)]
            }
        }
        var open = 0
        for edge in edges.sorted(by: { ($0.at, $0.step) < ($1.at, $1.step) }) {
            open += edge.step
            if open == lists.count { return true }
        }
        return false
    }
}
