import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterExchange

@Suite struct PackImportTests {
    private static let study = "studies/day-mood/study.yaml"
    private static let files = [
        study: "days: 14\nquestionnaires: []\n", "studies/day-mood/schedule.yaml": "schedules: []\n",
    ]

    /// A dictionary with one field in each form.
    private func dictionary(_ fields: (form: String, label: String)...) -> [UInt8] {
        Array(
            (["Variable / Field Name,Form Name,Field Type,Field Label"]
                + fields.map { "f_\($0.form),\($0.form),text,\($0.label)" }).joined(separator: "\n").utf8)
    }

    private func imported(
        _ bytes: [UInt8], into files: [String: String] = files, collision: PackImport.Collision = .refuse,
        schedule: PackImport.Schedule? = nil
    ) throws(ImportErrors) -> PackImport {
        try PackImport(
            bytes, format: .redcap, name: "file", into: files, study: "day-mood", collision: collision,
            schedule: schedule)
    }

    @Test func `all questionnaires of a file are added to the study`() throws {
        let result = try imported(
            dictionary(("mood", "Mood?"), ("sleep", "Sleep?")), schedule: .init(.anyTime))

        #expect(
            result.entries.map(\.instrument.folder) == ["instruments/mood/1.0.0", "instruments/sleep/1.0.0"])
        #expect(result.entries.allSatisfy { $0.isNew && $0.reference == .added && $0.schedule == .added })
        #expect(
            result.files[Self.study]
                == """
                days: 14
                questionnaires: [{code: mood, version: 1.0.0}, {code: sleep, version: 1.0.0}]
                any_time: [mood, sleep]

                """)
    }

    @Test func `without a schedule only the files of the instruments are added`() throws {
        let result = try imported(dictionary(("mood", "Mood?")))

        #expect(result.files[Self.study] == Self.files[Self.study])
        #expect(result.files["instruments/mood/1.0.0/questionnaire.yaml"] != nil)
        #expect(result.entries.first?.reference == AddedQuestionnaire.Change.none)
    }

    @Test func `the same file again changes nothing`() throws {
        let first = try imported(dictionary(("mood", "Mood?")), schedule: .init(.anyTime))
        let second = try imported(
            dictionary(("mood", "Mood?")), into: first.files, schedule: .init(.anyTime))

        #expect(second.files == first.files)
        #expect(second.entries.map(\.isNew) == [false])
        #expect(second.entries.map(\.reference) == [.unchanged])
    }

    @Test func `other content of the same version is refused, with all such questionnaires`() throws {
        let first = try imported(dictionary(("mood", "Mood?"), ("sleep", "Sleep?"), ("day", "Day?")))
        let error = #expect(throws: ImportErrors.self) {
            try imported(
                dictionary(("mood", "Other"), ("sleep", "Sleep?"), ("day", "Other")), into: first.files)
        }

        #expect(
            error?.list.map(\.detail)
                == ["mood", "day"].map {
                    "instruments/\($0)/1.0.0 is already in the pack with other content. Import it as version 1.0.1, "
                        + "or remove the earlier one"
                })
    }

    @Test func `other content can become the next version, once`() throws {
        let first = try imported(dictionary(("mood", "Mood?"), ("day", "Day?")), schedule: .init(.anyTime))
        let changed = dictionary(("mood", "Other"), ("day", "Day?"))
        let second = try imported(
            changed, into: first.files, collision: .nextVersion, schedule: .init(.anyTime))
        let third = try imported(
            changed, into: second.files, collision: .nextVersion, schedule: .init(.anyTime))
        let fourth = try imported(
            dictionary(("mood", "Third")), into: third.files, collision: .nextVersion)

        #expect(second.entries.map(\.instrument.questionnaire.version) == ["1.0.1", "1.0.0"])
        #expect(second.entries.map(\.reference) == [.changed, .unchanged])
        #expect(second.files[Self.study]?.contains("{code: mood, version: 1.0.1}") == true)
        #expect(second.files["instruments/mood/1.0.0/questionnaire.yaml"] != nil)
        #expect(third.files == second.files)
        #expect(third.entries.map(\.isNew) == [false, false])
        #expect(fourth.entries.map(\.instrument.questionnaire.version) == ["1.0.2"])
    }

    @Test func `a file with several faults reports all of them`() {
        let bundle = """
            {"resourceType": "Bundle", "entry": [
              {"resource": {"resourceType": "Questionnaire", "name": "a"}},
              {"resource": {"resourceType": "Questionnaire", "name": "b", "item": [{"linkId": "x"}]}}]}
            """
        let error = #expect(throws: ImportErrors.self) {
            try PackImport(
                Array(bundle.utf8), format: .fhir, name: "file", into: Self.files, study: "day-mood")
        }

        #expect(error?.list.map(\.location) == ["/entry/0/resource/item", "/entry/1/resource/item/0"])
    }

    @Test func `a study whose files cannot be extended is a fault with the file and line`() {
        let files = [Self.study: "days: 14\nquestionnaires: none\n"]
        let error = #expect(throws: ImportErrors.self) {
            try imported(dictionary(("mood", "Mood?")), into: files, schedule: .init(.anyTime))
        }

        #expect(error?.list.map(\.location) == ["\(Self.study):2"])
    }

    // MARK: Hostile files

    @Test(.timeLimit(.minutes(1))) func `files that would take much time or memory are rejected`() {
        func detail(_ format: QuestionnaireImport.Format, _ text: String) -> String {
            var reader = QuestionnaireImport(format)
            guard case .failure(let error) = reader.read(Array(text.utf8), name: "file").first else {
                return "imported"
            }
            return error.detail
        }
        let forms = (0..<100_000).map { "f\($0),form\($0),text,A" }.joined(separator: "\n")
        let questionnaires = Array(repeating: #"{"resource":{"resourceType":"Questionnaire"}}"#, count: 1001)
            .joined(separator: ",")
        let languages = (0..<40).map { "label::L\($0)" }.joined(separator: ",")
        let labels = Array(repeating: "x", count: 40).joined(separator: ",")
        let rows = (0..<100).map { ",select_one many,q\($0),\(labels)" }.joined(separator: "\n")
        let choices = (0..<1000).map { ",many,c\($0),\(labels)" }.joined(separator: "\n")
        let form =
            "survey\n,type,name,\(languages)\n\(rows)\nchoices\n,list_name,name,\(languages)\n\(choices)\n"
        let deep = String(repeating: #"{"item":["#, count: 5000)

        #expect(
            detail(.redcap, "Variable / Field Name,Form Name,Field Type,Field Label\n" + forms)
                == "the dictionary has more than 1000 forms")
        #expect(
            detail(.fhir, #"{"resourceType":"Bundle","entry":[\#(questionnaires)]}"#)
                .hasPrefix("the Bundle has more than 1000 questionnaires"))
        #expect(
            detail(.xlsform, form) == "the options of file have more than 400000 labels in all languages")
        #expect(detail(.fhir, deep).contains("more than 32 levels of nesting"))
    }

    @Test(.timeLimit(.minutes(1))) func `a value set that many items use is read once`() throws {
        let concepts = (0..<5000).map { #"{"code":"c\#($0)"}"# }.joined(separator: ",")
        let items = (0..<500).map {
            ##"{"linkId":"i\##($0)","type":"choice","answerValueSet":"#set"}"##
        }.joined(separator: ",")
        let text = """
            {"resourceType":"Questionnaire","name":"many","contained":[
              {"resourceType":"ValueSet","id":"set","compose":{"include":[{"system":"urn:s","concept":[\(concepts)]}]}},
              {"resourceType":"CodeSystem","url":"urn:s","concept":[\(concepts)]}],"item":[\(items)]}
            """
        let instrument = try #require(
            FHIRImport.read(Array(text.utf8), name: "file", allowsFreeText: true).first
        ).get()

        #expect(instrument.questionnaire.item.count == 500)
        #expect(instrument.questionnaire.item.allSatisfy { $0.type == .string })
    }
}
