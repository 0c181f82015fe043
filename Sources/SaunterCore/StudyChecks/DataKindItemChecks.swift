extension StudyCheck {
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
}
