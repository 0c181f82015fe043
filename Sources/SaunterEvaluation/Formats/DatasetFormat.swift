/// A form in which a dataset can hold its tables beside the canonical files.
package enum DatasetFormat: String, Sendable, Hashable, CaseIterable {
    /// `excel/`: CSV that spreadsheets open as it is meant, and workbooks.
    case excel
    /// `spss/`: labelled .sav files with user-missing values.
    case spss
    /// `stata/`: labelled .dta files with extended missing values.
    case stata
    /// `fhir/`: a bundle of QuestionnaireResponses.
    case fhir
}
