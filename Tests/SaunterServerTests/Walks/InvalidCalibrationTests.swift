import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct InvalidCalibrationTests {
    @Test(
        arguments: [
            (["mean_speed_kmh": 0], ["/mean_speed_kmh"]),
            (
                ["mean_speed_kmh": 90, "reduction_percent": 100, "duration_s": 1e9],
                ["/mean_speed_kmh", "/reduction_percent", "/duration_s"]
            ),
            (["reduction_percent": 4], ["/reduction_percent"]),
            (["reduction_percent": 51], ["/reduction_percent"]),
            (["duration_s": -1], ["/duration_s"]),
        ] as [(JSON, Set<String>)])
    func `a calibration out of range is rejected with every fault`(
        _ changes: JSON, _ pointers: Set<String>
    ) async throws {
        let calibration: JSON = [
            "recorded_at": .instant(ServerFixture.now), "mean_speed_kmh": 5, "reduction_percent": 20,
            "duration_s": 60,
        ]

        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.put(ada.newRecord("calibrations"), calibration.with(changes))

            answer.expectProblem(422, "calibration-invalid", pointers)
        }
    }
}
