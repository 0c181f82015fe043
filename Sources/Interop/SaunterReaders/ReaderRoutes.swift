import SaunterServer

/// The routes for clients of other systems: REDCap, FHIR and OData, in this order. `SaunterApp` appends them to the
/// routes of the API.
/// - Throws: an error of the file system, if the spool directory of an earlier process cannot be removed.
package func readerRoutes(_ context: ServerContext) throws -> [Route] {
    let service = try ReaderService(context: context)
    let redcap = REDCapRoutes(service: service)
    let fhir = FHIRRoutes(service: service)
    let odata = ODataRoutes(service: service)
    return [
        redcap.api,
        fhir.metadata, fhir.questionnaires, fhir.questionnaire, fhir.responses, fhir.response,
        odata.serviceDocument, odata.metadata, odata.rows, odata.count,
    ]
}
