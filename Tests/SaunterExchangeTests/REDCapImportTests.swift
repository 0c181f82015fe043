import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterExchange

@Suite struct REDCapImportTests {
    static let dictionary = """
        "Variable / Field Name","Form Name","Section Header","Field Type","Field Label","Choices, Calculations, OR Slider Labels","Field Note","Text Validation Type OR Show Slider Number","Text Validation Min","Text Validation Max",Identifier?,"Branching Logic (Show field only if...)","Required Field?","Custom Alignment","Question Number (surveys only)","Matrix Group Name","Matrix Ranking?","Field Annotation"
        record_id,walks,,text,"Record",,,,,,,,,,,,,@HIDDEN
        walk_day,walks,"The walk",text,"Which day?",,,date_ymd,2026-01-01,,,,y,,,,,
        far,walks,,radio,"How far?","1, Near | 2, Far, far away",,,,,,,,RH,,,,
        shoes,walks,,checkbox,"Which shoes?","A-1, Boots | B, None",,,,,,"[far] = '2'",,,,,,@NONEOFTHEABOVE='B'
        pulse,walks,,text,"Pulse, at the end?",,per minute,integer,30,220,,"[shoes(A-1)] = '1' or [far] <> '1'",,,3,,,
        sum,walks,,calc,"Sum","[far]*2",,,,,,,,,,,,
        ok,walks,,yesno,"All well?",,,,,,,,,LV,,,,@DEFAULT='1'
        mail,talks,,text,"Address",,,email,,,y,"[walk_day] <> ''",,,,,,
        mood,talks,,slider,"Mood","bad | | good",,number,,,,,,,,,,
        """

    private func imported() throws -> [ImportedInstrument] {
        try REDCapImport.read(Array(Self.dictionary.utf8)).map { try $0.get() }
    }

    @Test func `a form with too many items is named, and the other forms are imported`() throws {
        let header = try #require(Self.dictionary.split(separator: "\n").first)
        let columns = String(repeating: ",", count: 13)
        let long = (1...1001).map { "q\($0),long,,text,Label\(columns)" }
        let text = ([String(header)] + long + ["mood,short,,text,Label\(columns)"]).joined(separator: "\n")

        let results = try REDCapImport.read(Array(text.utf8))

        #expect(results.count == 2)
        #expect(
            throws: ImportError(
                location: "line 1002, Variable / Field Name", detail: "long has more than 1000 items")
        ) { try results[0].get() }
        #expect(try results[1].get().questionnaire.item.count == 1)
    }

    @Test func `each form becomes an instrument`() throws {
        let forms = try imported()
        #expect(forms.map(\.questionnaire.code) == ["walks", "talks"])
        let items = forms[0].questionnaire.item
        #expect(
            items.map(\.linkId) == [
                "record_id", "section_walk_day", "walk_day", "far", "shoes", "pulse", "sum", "ok",
            ])
        #expect(items.map(\.hidden) == [true, false, false, false, false, false, true, false])
        #expect(items[2].minValue != nil && items[2].required)
        #expect(items[3].answerOption.map(\.value) == [.integer(1), .integer(2)])
        #expect(forms[0].questionnaire.text["en"]?.options["far"]?["2"] == "Far, far away")
        #expect(
            items[4].enableWhen == [
                Condition(question: "far", comparison: .equal, answer: .option(.integer(2)))
            ])
        #expect(items[4].answerOption.map(\.exclusive) == [false, true])
        #expect(items[5].enableWhenExpression == "('a_1' in shoes or (not exists(far) or far != 1))")
        #expect(items[7].initial == .boolean(true))
        #expect(forms[1].questionnaire.item[1].itemControl == .slider)
    }

    @Test func `a part without effect gets a remark with line and column`() throws {
        let remarks = try imported().flatMap(\.remarks).map(\.text)
        for wanted in [
            "line 7, Field Type: a field of the type calc",
            "line 9, Text Validation Type OR Show Slider Number: the validation email",
            "line 9, Branching Logic (Show field only if...): the item is always shown: there is no field walk_day",
        ] { #expect(remarks.contains { $0.hasPrefix(wanted) }, "\(wanted) in \(remarks)") }
    }

    @Test func `the remark about choices that cannot be options states the reason`() throws {
        let many = (1...1001).map { "\($0), Town \($0)" }.joined(separator: " | ")
        let text = """
            field_name,form_name,field_type,field_label,select_choices_or_calculations
            home,talks,radio,Where?,"\(many)"
            twice,talks,radio,Which?,"1, One | 2, Two | 1, Again"
            none,talks,radio,What?,
            """
        let instrument = try #require(REDCapImport.read(Array(text.utf8)).first).get()

        #expect(instrument.questionnaire.item.map(\.type) == [.string, .string, .string])
        let details = instrument.remarks.map(\.detail)
        for reason in [
            "the field has 1001 choices, and an item has at most 1000",
            "the code 1 occurs twice in the choices", "the field has no choices",
        ] {
            #expect(
                details.contains("\(reason): it is imported as a text question"), "\(reason) in \(details)")
        }
    }

    @Test(arguments: ["bad | | good", "bad | so so | good", "bad|so so|good "])
    func `notes become help texts, and the labels of a slider end labels`(labels: String) throws {
        let text = """
            field_name,form_name,field_type,field_label,select_choices_or_calculations,field_note
            mood,talks,slider,Mood?,\(labels),Only today counts.
            """
        let instrument = try #require(REDCapImport.read(Array(text.utf8)).first).get()
        let texts = try #require(instrument.questionnaire.text["en"])
        let kept = PreservedMembers(
            PackFiles(files: instrument.files), code: "talks", version: "1.0.0")
        let exported = String(
            decoding: REDCapExport.csv([(instrument.questionnaire, kept)]), as: UTF8.self)

        #expect(texts.help == ["mood": "Only today counts."])
        #expect(texts.anchors["mood"]?["minimum"] == "bad" && texts.anchors["mood"]?["maximum"] == "good")
        #expect(texts.anchors["mood"]?["middle"] == (labels.contains("so so") ? "so so" : nil))
        #expect(instrument.remarks.isEmpty)
        #expect(exported.contains(",\(labels),Only today counts.,"))
    }

    @Test func `a form with too many items is named`() throws {
        let fields = (1...1001).map { "f\($0),talks,text,Label" }.joined(separator: "\n")
        let text = "field_name,form_name,field_type,field_label\na,walks,text,A?\n" + fields
        let forms = try REDCapImport.read(Array(text.utf8))

        #expect(throws: Never.self) { try forms[0].get() }
        #expect(
            throws: ImportError(
                location: "line 1003, Variable / Field Name", detail: "talks has more than 1000 items")
        ) { try forms[1].get() }
    }

    @Test func `a slider whose bounds are not numbers runs from 0 to 100, with a remark`() throws {
        let text = """
            field_name,form_name,field_type,field_label,text_validation_min,text_validation_max
            mood,talks,slider,Mood?,nan,1e999
            pain,talks,slider,Pain?,1,10
            """
        let instrument = try #require(REDCapImport.read(Array(text.utf8)).first).get()
        let items = instrument.questionnaire.item
        #expect(items.map(\.minValue) == [0, 1] && items.map(\.maxValue) == [100, 10])
        #expect(
            instrument.remarks.map(\.text) == [
                "line 2, Text Validation Min: the bound is kept without effect",
                "line 2, Text Validation Max: the bound is kept without effect",
            ])
    }

    @Test func `negative codes are kept for radio buttons and renamed for checkboxes`() throws {
        func imported(_ type: String, _ logic: String) throws -> ImportedInstrument {
            let text = """
                field_name,form_name,field_type,field_label,select_choices_or_calculations,branching_logic
                mood,talks,\(type),Mood?,"-1, Bad | 0, So so | 1, Good",
                why,talks,text,Why?,,\(logic)
                """
            return try #require(REDCapImport.read(Array(text.utf8)).first).get()
        }
        let one = try imported("radio", "[mood] = '-1'")
        let items = one.questionnaire.item
        #expect(items[0].answerOption.map(\.value) == [.integer(-1), .integer(0), .integer(1)])
        #expect(items[0].answerOption.map(\.weight) == [nil, nil, nil])
        #expect(
            items[1].enableWhen == [
                Condition(question: "mood", comparison: .equal, answer: .option(.integer(-1)))
            ])
        #expect(one.remarks.isEmpty)

        let several = try imported("checkbox", "")
        let options = several.questionnaire.item[0].answerOption
        #expect(options.map(\.value) == [.code("minus_1"), .code("0"), .code("1")])
        #expect(options.map(\.weight) == [-1, 0, 1])
        #expect(several.remarks.count == 1 && several.remarks[0].detail.contains("minus_1"))
    }

    @Test func `a row without a field name gets a remark with its form, otherwise with the first form`()
        throws
    {
        let text = """
            field_name,form_name,field_type,field_label
            pulse,walks,text,Pulse?
            ,talks,text,Mood?
            mood,talks,text,Mood?
            ,,,A remark of somebody
            ,,,\u{20}
            """
        let forms = try REDCapImport.read(Array(text.utf8)).map { try $0.get() }
        let detail = "Variable / Field Name: the row has no field name and is left out"
        #expect(forms.map { $0.remarks.map(\.text) } == [["line 5, \(detail)"], ["line 3, \(detail)"]])
    }

    @Test
    func
        `identifiers, matrices and duplicate names get remarks, and each field keeps its own logic`()
        throws
    {
        let text = """
            field_name,form_name,field_type,field_label,identifier,branching_logic,matrix_group_name
            mrn,walks,text,Number,y,,
            left,walks,yesno,Left?,,,sides
            right,walks,yesno,Right?,,,sides
            left,walks,text,Left again?,,[right] = '1',
            """
        let instrument = try #require(REDCapImport.read(Array(text.utf8)).first).get()
        #expect(
            instrument.remarks.map(\.text) == [
                "line 2, Identifier?: kept without effect",
                "line 3, Matrix Group Name: kept without effect: the fields of sides are asked one by one",
                "line 5, Variable / Field Name: an earlier field has this name: this one is called left_2, and branching logic refers to the earlier one",
            ])
        let items = instrument.questionnaire.item
        #expect(items.map(\.enableWhen.count) == [0, 0, 0, 1])
    }

    @Test func `the exported dictionary equals the source cell by cell`() throws {
        let forms = try imported()
        let csv = REDCapExport.csv(
            forms.map { form in
                let questionnaire = form.questionnaire
                return (
                    questionnaire,
                    PreservedMembers(
                        PackFiles(files: form.files), code: questionnaire.code, version: questionnaire.version
                    )
                )
            })
        let (found, wanted) = (try Worksheet(csv: csv), try Worksheet(csv: Array(Self.dictionary.utf8)))
        #expect(found.rows.count == wanted.rows.count)
        for (one, other) in zip(found.rows, wanted.rows) { #expect(one.cells == other.cells) }
    }

    @Test func `conditions of Saunter are exported as branching logic`() throws {
        var shoes = Item(linkId: "shoes", type: .choice)
        shoes.repeats = true
        shoes.answerOption = [ResponseOption(value: .code("boot"))]
        var why = Item(linkId: "why", type: .string)
        why.enableWhen = [
            Condition(question: "alone", comparison: .exists, answer: .boolean(false)),
            Condition(question: "shoes", comparison: .notEqual, answer: .option(.code("boot"))),
        ]
        why.enableBehavior = .any
        let questionnaire = Questionnaire(
            code: "walk", version: "1.0.0", item: [Item(linkId: "alone", type: .boolean), shoes, why],
            text: ["en": QuestionnaireText(title: "Walk", items: [:], options: [:])], languages: ["en"])
        let grid = try Worksheet(csv: REDCapExport.csv([(questionnaire, PreservedMembers())]))
        let last = try #require(grid.rows.last)
        #expect(last.cells.contains("[alone] = '' or [shoes(boot)] = '0'"), "\(last.cells)")
    }

    @Test(arguments: [
        ("", "the file is empty"), ("a,b\n1,2", "has the columns"),
        ("field_name,form_name,field_type\n", "the dictionary has no fields"),
        ("field_name,form_name,field_type\nx,f,", "has no type"),
    ])
    func `a file that is not a dictionary is rejected`(text: String, reason: String) {
        let refusal = #expect(throws: ImportError.self) {
            _ = try REDCapImport.read(Array(text.utf8))
        }
        #expect(refusal?.text.contains(reason) == true)
    }

    @Test func `a damaged file never crashes the process`() {
        let bytes = Array(Self.dictionary.utf8)
        for index in stride(from: 0, to: bytes.count, by: 5) {
            _ = try? REDCapImport.read(Array(bytes[..<index]))
            var flipped = bytes
            flipped[index] ^= UInt8(1 << (index % 8))
            _ = try? REDCapImport.read(flipped)
        }
    }
}
