// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostTestKit
import RoostTestSupport
import Testing

struct InjectedExecutorTests {
    @Test(arguments: [true, false])
    func `on one executor a script takes the same steps every time`(isInMemory: Bool) throws {
        var runs: Set<Int> = []
        for _ in 0..<20 {
            let folder = try TemporaryFolder()
            let executor = SimulatedExecutor()
            let location = isInMemory ? StoreLocation.memory : .folder(folder.path)
            let sequences = try executor.run {
                let store = try await Store.open(
                    location, owner: Fixture.owner, Store.Options(executor: executor))
                let feed = await store.writer.journal(capacity: 4)
                let observer = Task(executorPreference: executor) {
                    var entries: [JournalEntry] = []
                    for await entry in feed { entries.append(entry) }
                    return entries
                }
                for id in Int64(1)...20 {
                    try await store.writer.commit([Fixture.page(id...id)])
                    _ = try await store.reader.newest()
                }
                for id in Int64(21)...30 { try await store.writer.commit([Fixture.page(id...id)]) }
                await store.close()
                return await observer.value.count
            }
            #expect(sequences > 0)
            runs.insert(executor.jobsRun)
        }
        #expect(runs.count == 1)
    }
}
