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
            var followersByQuestionnaire: [String: [Int]] = [:]
            for position in followers {
                for code in study.questionnaires(followedBy: study.schedules[position].anchor) {
                    followersByQuestionnaire[code, default: []].append(position)
                }
            }
            for first in followers {
                guard let cycle = cycle(from: first, followersByQuestionnaire)?.sorted(), cycles[cycle] == nil
                else {
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
        guard schedule.anchor.isRepeated,
            study.questionnaires(followedBy: schedule.anchor).contains(schedule.questionnaire)
        else { return false }
        let nominal = nominal(position)
        return nominal.days(enrolledOn: Study.monday).count * nominal.windowsPerDay > 1
    }

    /// The member of the schedule that refers to the awaited questionnaire.
    private func waitingPart(of schedule: Schedule) -> String {
        switch schedule.anchor {
        case .completion, .completionOfAny, .completionOfPractice, .firstCompletion: "anchor"
        default: schedule.phase == nil ? "anchor" : "phase"
        }
    }

    /// The schedules of one arm that can never begin, because they wait for sheets that cannot be submitted before.
    /// - Parameter awaited: by position, the sheets that each schedule waits for. Of several questionnaires, one
    ///   suffices.
    private func unreachableSchedules(_ applicable: [Int], validPositions: Set<Int>, _ awaited: [[[String]]])
        -> Set<Int>
    {
        let asked = Set(applicable.map { study.schedules[$0].questionnaire })
        var answered = Set(study.anyTime.map(\.questionnaire) + study.settings)
        var waiting = Set(applicable)
        while true {
            let begun = waiting.filter { position in
                // A questionnaire that no schedule asks is reported at the reference to it.
                !validPositions.contains(position)
                    || awaited[position].allSatisfy { codes in
                        codes.contains { answered.contains($0) || !asked.contains($0) }
                    }
            }
            if begun.isEmpty { return waiting }
            waiting.subtract(begun)
            answered.formUnion(begun.map { study.schedules[$0].questionnaire })
        }
    }

    /// What must have a sheet before the schedule has any window. Of several questionnaires, one suffices.
    private func awaited(by schedule: Schedule) -> [[String]] {
        var awaited: [[String]] = []
        var phases = [schedule.phase]
        switch schedule.anchor {
        case .completion, .completionOfAny, .completionOfPractice, .firstCompletion:
            let followed = study.questionnaires(followedBy: schedule.anchor)
            // An anchor without questionnaires is reported at the anchor.
            if !followed.isEmpty { awaited.append(followed) }
        case .phase(let code): phases.append(code)
        case .enrolment, .studyDate, .walk, .event: break
        }
        for code in phases.compactMap({ $0 }) {
            if case .firstCompletion(let code)? = study.phase(code)?.start { awaited.append([code]) }
        }
        return awaited
    }

    /// Whether each sheet leads to an occasion on the same day, without a daily maximum.
    private func followsImmediately(_ position: Int) -> Bool {
        let schedule = study.schedules[position]
        guard schedule.anchor.isRepeated, schedule.anchor != .walk else { return false }
        return schedule.offsetDays == 0 && schedule.maxPerDay == nil
    }

    /// The shortest cycle by which the sheets of this schedule trigger the schedule again. Nil if there is none.
    /// Breadth-first search.
    /// - Parameter followers: positions of schedules by the questionnaires that they follow.
    private func cycle(from first: Int, _ followers: [String: [Int]]) -> [Int]? {
        var paths = [[first]]
        var seen: Set<String> = [study.schedules[first].questionnaire]
        while !paths.isEmpty {
            var longer: [[Int]] = []
            for path in paths {
                let following = followers[study.schedules[path[path.count - 1]].questionnaire] ?? []
                if following.contains(first) { return path }
                for next in following {
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
