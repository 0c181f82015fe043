import SaunterCore
import Testing

@testable import SaunterExchange

/// Rows, columns and cells of a form that have no effect: each gets a remark.
@Suite struct XLSFormUnusedTests {
    private func imported(_ text: String) throws -> ImportedInstrument {
        try #require(XLSFormImport.read(Array(text.utf8), name: "file").first).get()
    }

    @Test func `rows that are disabled or have no type are preserved with a remark and not asked`() throws {
        let instrument = try imported(
            """
            survey,,,,
            ,type,name,label,disabled
            ,text,a,A?,no
            ,text,b,B?,yes
            ,begin group,g,G,yes
            ,text,c,C?,
            ,end group,,,yes
            ,,d,D?,
            choices,,,,
            ,list_name,name,label,
            ,yn,yes,Yes,
            ,yn,,No,
            ,,no,No,
            """)

        #expect(instrument.questionnaire.item.map(\.linkId) == ["a", "c"])
        let disabled = "the row is disabled: it is kept and not asked"
        #expect(
            instrument.remarks.map(\.text) == [
                "survey!E4: \(disabled)", "survey!E5: \(disabled)", "survey!E7: \(disabled)",
                "survey!B8: the row has no type: it is kept and not asked",
                "choices!C12: the row is left out, because it has no list or no name (the first of 2 rows)",
            ])
        let kept = instrument.files.first { $0.key.hasSuffix("/questionnaire.yaml") }?.value
        #expect(kept?.contains(#""name": "b""#) == true && kept?.contains(#""name": "d""#) == true)
    }

    @Test func `repeated columns and columns for devices get a remark at their first use`() throws {
        let instrument = try imported(
            """
            survey,,,,,,,,
            ,type,name,label,caption,bind::jr:preload,save_to,required_message::English (en),bind::required
            ,text,a,A?,,,,,yes
            ,text,b,B?,Again?,uid,prop,Answer!,
            ,text,c,C?,And?,,,,
            """)

        #expect(instrument.questionnaire.item.map(\.required) == [true, false, false])
        #expect(instrument.questionnaire.text["en"]?.items == ["a": "A?", "b": "B?", "c": "C?"])
        #expect(
            instrument.remarks.map(\.text) == [
                "survey!E4: left out, because an earlier column is the same (the first of 2 rows)",
                "survey!F4: kept without effect", "survey!G4: kept without effect",
                "survey!H4: kept without effect",
            ])
    }

    @Test func `the random order of choices is imported, other parameters get remarks`() throws {
        let instrument = try imported(
            """
            survey,,,,
            ,type,name,label,parameters
            ,select_one yn,a,A?,randomize=true
            ,rank yn,b,B?,"randomize=true, seed=5"
            ,text,c,C?,rows=3
            choices,,,,
            ,list_name,name,label,
            ,yn,yes,Yes,
            ,yn,no,No,
            """)

        #expect(instrument.questionnaire.item.map(\.shuffle) == [true, true, false])
        #expect(
            instrument.remarks.map(\.text) == [
                "survey!E4: seed=5 is kept without effect", "survey!E5: kept without effect",
            ])
    }

    @Test func `multiple choices and times may have initial values`() throws {
        let instrument = try imported(
            """
            survey,,,,
            ,type,name,label,default
            ,select_multiple yn,a,A?,no yes
            ,select_multiple yn,b,B?,no maybe
            ,time,c,C?,10:30:00
            choices,,,,
            ,list_name,name,label,
            ,yn,yes,Yes,
            ,yn,no,No,
            """)

        let items = instrument.questionnaire.item
        #expect(items[0].initial == .options([.code("yes"), .code("no")]))
        #expect(items[1].initial == nil)
        let morning = try #require(LocalTime(hour: 10, minute: 30))
        #expect(items[2].initial == .time(morning))
        #expect(instrument.remarks.map(\.text) == ["survey!E4: kept without effect"])
    }
}
