/// Checks the kinds of data that need the participant's own consent: `data_kinds` of a study.
extension StudyCheck {
    mutating func checkDataKinds() {
        let named = Set(study.questionnaires.flatMap { $0.itemsByDataKind.keys })
        var seen: Set<String> = []
        var series: Set<DataKind.WalkSeries> = []
        var observations: Set<DataKind.Code> = []
        for (index, kind) in study.dataKinds.enumerated() {
            let pointer = "/data_kinds/\(index)"
            if !Self.isIdentifier(kind.code) {
                faults.add("\(pointer)/code", "invalid_name", Self.identifierRule)
            }
            if !seen.insert(kind.code).inserted {
                faults.add("\(pointer)/code", "duplicate", "Another data kind has this code.")
            }
            check(kind.walkSeries, "\(pointer)/walk_series", &series)
            check(kind.observations, "\(pointer)/observations", &observations)
            if kind.walkSeries.isEmpty, kind.observations.isEmpty, !named.contains(kind.code) {
                hints.add(
                    pointer, "never_used",
                    "Nothing belongs to the data kind \(kind.code): no item, walk series or observation names it."
                )
            }
        }
        checkScoredDataKinds()
    }

    /// Checks that the study defines the data kind of each item. A questionnaire cannot know the kinds of its studies.
    mutating func checkDataKindsOfItems() {
        let known = Set(study.dataKinds.map(\.code))
        for (index, questionnaire) in study.questionnaires.enumerated() {
            let items = questionnaire.questions + questionnaire.repeatedQuestions.map(\.item)
            for item in items {
                guard let kind = item.dataKind, !known.contains(kind) else { continue }
                faults.add(
                    "/questionnaires/\(index)", "unknown_data_kind",
                    "\(questionnaire.code).\(item.linkId) names the data kind \(kind.prefix(60)), "
                        + "which the study does not have.",
                    naming: questionnaire.code, item.linkId)
            }
        }
    }

    /// An answer that the participant deletes must not stay in a score, so no scoring key uses such an item.
    private mutating func checkScoredDataKinds() {
        for (index, questionnaire) in study.questionnaires.enumerated() {
            let scored =
                (questionnaire.scoring?.usedNames ?? [])
                .union(
                    study.covariates.filter { $0.questionnaire == questionnaire.code }.map(\.item))
            let items = Set(questionnaire.itemsByDataKind.values.joined())
            for item in scored.intersection(items).sorted() {
                faults.add(
                    "/questionnaires/\(index)", "scored_data_kind",
                    "\(questionnaire.code).\(item) has a data kind, so no scoring key can use it.",
                    naming: questionnaire.code, item)
            }
        }
    }

    private mutating func check(
        _ series: [DataKind.WalkSeries], _ pointer: String, _ seen: inout Set<DataKind.WalkSeries>
    ) {
        if !series.isEmpty, study.walking == nil {
            faults.add(pointer, "no_walks", "The study has no walks.")
        }
        for (index, name) in series.enumerated() where !seen.insert(name).inserted {
            faults.add("\(pointer)/\(index)", "duplicate", "\(name.rawValue) already belongs to a data kind.")
        }
    }

    private mutating func check(
        _ codes: [DataKind.Code], _ pointer: String, _ seen: inout Set<DataKind.Code>
    ) {
        guard codes.count <= Self.maximumParts else {
            faults.add(pointer, "too_many", "A data kind has at most \(Self.maximumParts) observations.")
            return
        }
        for (index, code) in codes.enumerated() {
            ObservationCode(system: code.system, code: code.code)
                .check(pointer: "\(pointer)/\(index)", faults: &faults)
            if !seen.insert(code).inserted {
                faults.add("\(pointer)/\(index)", "duplicate", "This code already belongs to a data kind.")
            }
        }
    }
}
