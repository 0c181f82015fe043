import SaunterCore
import Testing

@testable import SaunterExchange

@Suite struct XLSFormImportTests {
    static let form = """
        "survey",,,,,,,
        ,"type","name","label::English (en)","label::Deutsch (de)","relevant","constraint","constraint_message::English (en)"
        ,"start","start",,,,,
        ,"begin group","you","You","Du",,,
        ,"integer","age","How old?","Wie alt?",,". > 0 and . < 120","Too odd."
        ,"select_one yn","walks","Do you walk?","Gehst du?","${age} >= 18",,
        ,"select_multiple shoes or_other","shoes","Shoes?","Schuhe?","selected(${walks}, 'yes')",,
        ,"end group",,,,,,
        ,"begin repeat","walk","A walk","Ein Gang",,,
        ,"decimal","km","How far?",,,,
        ,"end repeat",,,,,,
        ,"geopoint","place","Where?","Wo?","pulldata('x') = 1",,
        ,"note","thanks","Thanks & bye","Danke",,,
        "choices",,,,,,,
        ,"list_name","name","label::English (en)","label::Deutsch (de)",,,
        ,"yn","yes","Yes","Ja",,,
        ,"yn","no","No","Nein",,,
        ,"shoes","Boot 1","Boots","Stiefel",,,
        ,"shoes","none","None","Keine",,,
        "settings",,,,,,,
        ,"form_title","form_id",,,,,
        ,"Walks","walk-form",,,,,
        """

    private func imported(_ text: String) throws -> ImportedInstrument {
        try #require(XLSFormImport.read(Array(text.utf8), name: "file").first).get()
    }

    @Test func `the remark about too many options states their number`() throws {
        let towns = (1...1001).map { ",\"town\",\"t\($0)\",\"Town \($0)\"" }
        let text = """
            "survey",,,
            ,"type","name","label"
            ,"select_one town","home","Where do you live?"
            ,"select_one street","way","Which street?"
            "choices",,,
            ,"list_name","name","label"

            """ + towns.joined(separator: "\n")
        let instrument = try imported(text)

        #expect(instrument.questionnaire.item.map(\.type) == [.string, .string])
        let details = instrument.remarks.map(\.detail)
        #expect(
            details.contains(
                "the list town has 1001 options, and an item has at most 1000: it is imported as a text question"
            ))
        #expect(
            details.contains("the options of street are not in the file: it is imported as a text question"))
    }

    @Test func `a form becomes an instrument in its languages`() throws {
        let instrument = try imported(Self.form)
        let questionnaire = instrument.questionnaire
        #expect(questionnaire.code == "walk_form")
        #expect(questionnaire.languages == ["en", "de"])
        #expect(questionnaire.text["de"]?.items["age"] == "Wie alt?")
        #expect(questionnaire.text["de"]?.items["km"] == "How far?")
        #expect(questionnaire.item.map(\.linkId) == ["you", "walk", "place", "thanks"])
        #expect(questionnaire.item[2].type == .location && questionnaire.item[2].storedDecimals == 2)
        let you = questionnaire.item[0].item
        #expect(you[1].enableWhen == [Condition(question: "age", comparison: .atLeast, answer: .integer(18))])
        #expect(you[2].type == .openChoice && you[2].repeats)
        #expect(you[2].answerOption.map(\.value.text) == ["boot_1", "none"])
        #expect(questionnaire.item[1].isRepeatingGroup)
        #expect(questionnaire.constraint.map(\.expression) == ["(age > 0 and age < 120)"])
        #expect(questionnaire.text["en"]?.constraints["age"] == "Too odd.")
    }

    @Test func `hints become help texts, and the labels of a range end labels`() throws {
        let instrument = try imported(
            """
            survey,,,,,,,
            ,type,name,label::en,label::de,hint::en,hint::fr,parameters
            ,range,mood,Mood?,Stimmung?,Only today.,Jour,start=0 end=10 step=1 tick_labelset=ends
            ,range,pain,Pain?,Schmerz?,,,start=0 end=4 step=1 tick_labelset=ends
            ,note,bye,Bye,Ciao,${mood} counts,,
            choices,,,,,,,
            ,list_name,name,label::en,label::de,,,
            ,ends,0,bad,schlecht,,,
            ,ends,5,so so,,,,
            ,ends,10,good,gut,,,
            """)
        let text = instrument.questionnaire.text

        #expect(text["en"]?.help == ["mood": "Only today.", "bye": "${mood} counts"])
        #expect(text["de"]?.help == text["en"]?.help)
        #expect(
            text["en"]?.anchors == ["mood": ["minimum": "bad", "middle": "so so", "maximum": "good"]])
        #expect(
            text["de"]?.anchors == [
                "mood": ["minimum": "schlecht", "middle": "so so", "maximum": "gut"]
            ])
        #expect(
            instrument.remarks.map(\.text) == [
                "survey!G3: kept without effect: the form has no labels in this language",
                "survey!H4: the labels of ends are kept without effect, because the start or the end has none",
                "survey!F5: a reference to a field in a text is shown as it is written, not as its answer",
            ])
    }

    @Test func `a form with too many items is named`() {
        let rows = (1...1001).map { ",text,q\($0),Label" }.joined(separator: "\n")

        #expect(
            throws: ImportError(location: "survey!B1003", detail: "file has more than 1000 items")
        ) { try imported("survey,,,\n,type,name,label\n" + rows) }
    }

    @Test func `parameters of a range are imported`() throws {
        let items = try imported(
            """
            survey,,,,
            ,type,name,label,parameters
            ,range,mood,Mood?,start=2 end=8 step=3
            ,select_one yn,walks,Walks?,randomize=true
            choices,,,,
            ,list_name,name,label,
            ,yn,yes,Yes,
            ,yn,no,No,
            """
        ).questionnaire.item
        #expect((items[0].minValue, items[0].maxValue, items[0].step) == (2, 8, 3))
        #expect(items[1].shuffle)
    }

    @Test
    func
        `unused parameters of a scale get remarks, and a descending scale becomes ascending`()
        throws
    {
        let instrument = try imported(
            """
            survey,,,,
            ,type,name,label,parameters
            ,range,calm,Calm?,start=10 end=0 step=-0.5
            ,range,far,How far?,start=0 end=1e12 step=0 placeholder=6 end
            ,range,plain,How many?,
            """)
        let items = instrument.questionnaire.item
        #expect((items[0].minValue, items[0].maxValue, items[0].step) == (0, 10, 0.5))
        #expect((items[1].minValue, items[1].maxValue, items[1].step) == (0, 10, nil))
        #expect((items[2].minValue, items[2].maxValue, items[2].step) == (1, 10, nil))
        #expect(items.map(\.type) == [.decimal, .integer, .integer])
        let remarks = instrument.remarks.map(\.text)
        for part in ["end=1e12", "step=0", "placeholder=6", "end"] {
            #expect(remarks.contains("survey!E4: \(part) is kept without effect"), "\(part) in \(remarks)")
        }
        #expect(remarks.count == 4)
    }

    @Test func `the first of several choices with the same name is imported, and the others get a remark`()
        throws
    {
        let instrument = try imported(
            """
            survey,,,,
            ,type,name,label,choice_filter
            ,select_one cities,city,City?,state = 1
            choices,,,,
            ,list_name,name,label,state
            ,cities,salem,Salem in Oregon,1
            ,cities,boston,Boston,2
            ,cities,salem,Salem by the sea,2
            """)
        let questionnaire = instrument.questionnaire
        let labels = questionnaire.text["en"]?.options["city"]
        #expect(labels == ["salem": "Salem in Oregon", "boston": "Boston"])
        let wanted = "survey!B3: choices of cities are left out, because earlier ones have the same names: "
        let remarks = instrument.remarks.map(\.text)
        #expect(remarks.contains("\(wanted)1, the first salem in row 8"), "\(remarks)")
    }

    @Test func `negative codes are kept for single choices and renamed for multiple choices`() throws {
        let instrument = try imported(
            """
            survey,,,
            ,type,name,label
            ,select_one scale,mood,Mood?
            ,rank scale,order,Order?
            ,select_multiple scale,any,Any?
            choices,,,
            ,list_name,name,label
            ,scale,-1,Bad
            ,scale,1,Good
            """)
        let items = instrument.questionnaire.item
        #expect(items[0].answerOption.map(\.value) == [.integer(-1), .integer(1)])
        #expect(items[1].answerOption.map(\.value) == [.code("minus_1"), .code("1")])
        #expect(items[2].answerOption.map(\.value) == [.code("minus_1"), .code("1")])
        #expect(items.map { $0.answerOption.map(\.weight) } == [[nil, nil], [nil, nil], [-1, 1]])
        #expect(items.map(\.type) == [.choice, .ranking, .choice])
        #expect(instrument.remarks.count == 2)
    }

    @Test func `every cell without effect gets a remark with its location`() throws {
        let instrument = try imported(
            """
            survey,,,,,,,,
            ,type,name,label::English (en),required,read_only,calculation,constraint,media::image::English (en)
            ,text,who,Who?,yes,no,,,
            ,text,far,Hello ${who},${who} = 'a',${who} = 'b',1 + 1,,far.png
            ,begin group,walk,Walk,,,,true(),
            ,text,who,Who again?,,,,,
            ,end group,,,,,,,
            ,select_one yn,walks,Walks?,,,,,
            choices,,,,,,,,
            ,list_name,name,label::English (en),image::English (en),,,,
            ,yn,yes,Yes,yes.png,,,,
            ,yn,no,No ${who},no.png,,,,
            """)
        #expect(
            Set(instrument.remarks.map(\.text)) == [
                "survey!I4: kept without effect",
                "survey!D4: a reference to a field in a text is shown as it is written, not as its answer",
                "survey!E4: the condition is kept without effect: the question is not required",
                "survey!F4: the condition is kept without effect: the question can be answered",
                "survey!G4: kept without effect: the question is asked, not calculated",
                "survey!H5: the answer is not checked: the row is not a question",
                "survey!C6: an earlier row has this name, and conditions refer to the earlier one",
                "choices!E11: left out, for 2 choices from this row on",
                "choices!D12: a reference to a field in a text is shown as it is written, not as its answer",
            ])
    }

    @Test func `conditions that cannot be translated are left out with a remark`() throws {
        let instrument = try imported(
            """
            survey,,,
            ,type,name,label,relevant
            ,decimal,far,Far?,
            ,text,more,More?,${far} * 3 > 0.33333333333333333
            ,text,less,Less?,${far} * 3 > .5
            """)
        #expect(instrument.questionnaire.item.map(\.enableWhenExpression) == [nil, nil, "(far * 3) > 0.5"])
        let texts = instrument.remarks.map(\.text)
        #expect(texts.count == 1 && texts[0].hasPrefix("survey!E4: the item is always shown: "), "\(texts)")
    }

    @Test func `a part without effect gets a remark with sheet and cell`() throws {
        let remarks = try imported(Self.form).remarks.map(\.text)
        for wanted in [
            "survey!B3: start is kept", "survey!F12: the item is always shown",
        ] { #expect(remarks.contains { $0.hasPrefix(wanted) }, "\(wanted) in \(remarks)") }
        #expect(!remarks.contains { $0.hasPrefix("survey!B12") })
    }

    @Test(arguments: [
        ("", "no sheet"), ("survey\n", "no sheet"),
        ("survey,,\n,label,name\n,a,b\n", "has no column \"type\""),
        ("survey,,\n,type,name\n,begin group,a\n,text,b\n", "has no end"),
        ("survey,,\n,type,name\n,text,b\n,end group,\n", "has not begun"),
        ("survey,,\n,type,name\n,note,b\n", "has no question"),
        ("PK\u{3}\u{4}rest", "not a valid zip"),
    ])
    func `a file that is not a form is rejected`(text: String, reason: String) {
        let refusal = #expect(throws: ImportError.self) {
            _ = try imported(text)
        }
        #expect(refusal?.text.contains(reason) == true)
    }

    @Test func `a workbook in the format .xls is rejected with the way to convert it`() {
        let refusal = #expect(throws: ImportError.self) {
            _ = try XLSFormImport.read([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], name: "form")
        }

        #expect(
            refusal?.detail
                == "the file is a workbook in the old format .xls, or has a password. Save it as .xlsx or CSV without password"
        )
    }

    @Test func `a damaged file never crashes the process`() {
        let bytes = Array(Self.form.utf8)
        for index in stride(from: 0, to: bytes.count, by: 3) {
            _ = try? XLSFormImport.read(Array(bytes[..<index]), name: "cut")
            var flipped = bytes
            flipped[index] ^= UInt8(1 << (index % 8))
            _ = try? XLSFormImport.read(flipped, name: "flipped")
        }
    }
}
