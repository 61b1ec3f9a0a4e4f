#include "amdgcn/Clusters.h"

#include "amdgcn/Machine.h"

#include "llvm/ADT/Hashing.h"

namespace gluonc::amdgcn {

void requestTogether(Step &step, uint32_t ranks, uint64_t what) {
  if (!ranks)
    return;
  size_t count = step.machine.workgroups.size();
  if (ranks >> count)
    return step.fail(0, "the mask 0x" + llvm::Twine::utohexstr(ranks) +
                            " means more workgroups than the " + llvm::Twine(count) +
                            " of the cluster");
  unsigned rank = step.workgroup.rank;
  if (!(ranks >> rank & 1))
    return step.fail(0, "the mask 0x" + llvm::Twine::utohexstr(ranks) + " leaves out workgroup " +
                            llvm::Twine(rank) + ", which loads");
  SharedRequest &request = step.machine.requests[llvm::hash_combine(what, ranks)];
  if (!request.instruction)
    request = {ranks, {}, &step.instruction, rank, step.wave.number};
  ++request.asked[rank];
}

void checkRequests(Machine &machine) {
  for (auto &[what, request] : machine.requests)
    for (unsigned rank = 0; rank != machine.workgroups.size(); ++rank) {
      if (!(request.ranks >> rank & 1) || request.asked[rank] == request.asked[request.rank])
        continue;
      Workgroup &workgroup = machine.workgroups[request.rank];
      Wave &wave = workgroup.waves[request.wave];
      Step step{machine, workgroup, wave, *request.instruction, wave.exec()};
      return step.fail(0, "the load is for workgroup " + llvm::Twine(rank) +
                              " of the cluster, too, which has asked for the same " +
                              llvm::Twine(request.asked[rank]) + " times in place of " +
                              llvm::Twine(request.asked[request.rank]));
    }
  machine.requests.clear();
}

} // namespace gluonc::amdgcn
