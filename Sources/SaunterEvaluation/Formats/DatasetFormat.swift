/// A derived format in which a dataset can contain its tables, in addition to the canonical files.
package enum DatasetFormat: String, Sendable, Hashable, CaseIterable {
    /// `excel/`: CSV that spreadsheets open without changing values, and one workbook with all tables.
    case excel
    /// `spss/`: labelled .sav files with user-missing values.
    case spss
    /// `stata/`: labelled .dta files with extended missing values.
    case stata
    /// `fhir/`: a bundle of QuestionnaireResponses, and of Observations for scores.
    case fhir
}
