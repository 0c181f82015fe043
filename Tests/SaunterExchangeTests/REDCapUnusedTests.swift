import SaunterCore
import SaunterPacks
import Testing

@testable import SaunterExchange

/// Columns and cells of a dictionary that have no effect: each gets a remark.
@Suite struct REDCapUnusedTests {
    @Test func `texts that are not shown, and fields in texts, get remarks`() throws {
        let text = """
            field_name,form_name,section_header,field_type,field_label,select_choices_or_calculations,field_note
            age,talks,,text,How old?,,In years
            mood,talks,At [age:value] years,slider,Mood?,bad | good,Like [age]
            town,talks,,radio,"Why {mood}, [e.g. so]?","1, [event_1][age] | 2, [other]",
            sum,talks,,text,[other] [sums] and [name],,
            name,names,,text,Who is [nobody]?,,
            """
        let forms = try REDCapImport.read(Array(text.utf8)).map { try $0.get() }

        let piped = "a reference to a field in a text is shown as it is written, not as its answer"
        #expect(
            forms[0].remarks.map(\.text) == [
                "line 3, Choices, Calculations, OR Slider Labels: the labels of the slider are kept without effect: "
                    + "three labels are needed, and the left and the right one must not be blank",
                "line 3, Section Header: \(piped)", "line 3, Field Note: \(piped)",
                "line 4, Field Label: \(piped)",
                "line 4, Choices, Calculations, OR Slider Labels: \(piped)", "line 5, Field Label: \(piped)",
            ])
        #expect(forms[1].remarks.isEmpty)
    }

    @Test func `unknown columns, and cells that do not apply to the field, get remarks`() throws {
        let text = """
            field_name,form_name,field_type,field_label,choices_or_calculations,text_validation_min,Feild Note,field_label,empty
            age,talks,text,How old?,BIOPORTAL:AGE,1,In years,,
            why,talks,notes,Why?,"1, One",2,,Really?,
            which,walks,radio,Which?,"1, One | 2, Two",1,,,
            """
        let forms = try REDCapImport.read(Array(text.utf8)).map { try $0.get() }

        let none = "kept without effect: a field of this type does not have it"
        let out = "is left out: a dictionary has no such column, or an earlier column has the same heading"
        let choices = "Choices, Calculations, OR Slider Labels"
        #expect(
            forms[0].remarks.map(\.text).filter { !$0.contains("the bound is") } == [
                "line 1, column 7: the column Feild Note \(out)",
                "line 1, column 8: the column field_label \(out)",
                "line 2, \(choices): \(none)", "line 3, \(choices): \(none)",
                "line 3, Text Validation Min: \(none)",
            ])
        #expect(forms[1].remarks.map(\.text) == ["line 4, Text Validation Min: \(none)"])
        let kept = PreservedMembers(PackFiles(files: forms[0].files), code: "talks", version: "1.0.0")
        let back = String(decoding: REDCapExport.csv([(forms[0].questionnaire, kept)]), as: UTF8.self)
        #expect(back.contains("BIOPORTAL:AGE"))
    }
}
