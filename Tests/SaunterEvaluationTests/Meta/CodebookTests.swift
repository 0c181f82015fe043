import Foundation
import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct CodebookTests {
    @Test func `the codebook states the weights of options, for the item or for the column of one option`()
        throws
    {
        var single = Item(linkId: "why", type: .choice)
        single.answerOption = [("rest", 0), ("walk", 2.5), ("none", nil)].map {
            ResponseOption(value: .code($0), weight: $1)
        }
        var several = single
        several.linkId = "all"
        several.repeats = true
        var plain = single
        plain.linkId = "plain"
        plain.answerOption = [0, 1].map { ResponseOption(value: .integer($0)) }
        let items = [single, several, plain]
        let texts = QuestionnaireText(
            title: "Why", items: ["why": "Why?", "all": "All?", "plain": "Plain?"], options: [:])
        let study = Study(
            code: "study", version: "1.0.0", consentVersion: "1.0.0", openEnrolment: true, languages: ["en"],
            text: [:], zone: .utc, days: 1, arms: [Arm(code: "all", ratio: 1)],
            allocation: Allocation(blockSizes: [1], isConcealed: false), schedules: [],
            questionnaires: [
                Questionnaire(
                    code: "why", version: "1.0.0", item: items, text: ["en": texts], languages: ["en"])
            ])
        let definitions = StudyDefinitions(
            code: "study",
            versions: [.init(version: "1.0.0", digest: "", study: study, fhirMappings: [:])])

        let weights = WideTables(of: definitions.instruments[0]).values.columns.compactMap { column in
            ItemDescription(of: column, definitions).map { (column.name, $0.weights) }
        }

        #expect(weights.map(\.0) == ["why", "all__rest", "all__walk", "all__none", "plain"])
        #expect(weights.map(\.1) == ["rest=0 walk=2.5", "0", "2.5", nil, nil])
    }

    @Test
    func `the DDI codebook has every table and every column, with the parts in the order of the standard`()
        async throws
    {
        try await Garden.with { garden in
            try await garden.dataset(profile: .full) { folder, _ in
                let outcome = try Program.run(Program.python, [Garden.fixtures + "/check_ddi.py", folder])
                #expect(outcome.status == 0, "\(outcome.output)")
                #expect(outcome.output.hasSuffix("all as expected\n"))
            }
        }
    }
}
