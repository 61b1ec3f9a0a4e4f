#include "sema/eval/Work.h"

#include "sema/eval/Unfinished.h"

namespace gluonc::sema {

static thread_local WorkScope *innermost = nullptr;
static thread_local unsigned depth = 0;

WorkScope::WorkScope() : outer(innermost) { innermost = this; }

WorkScope::~WorkScope() {
  innermost = outer;
  spend(spent);
}

void spend(uint64_t bytes) {
  if (innermost)
    innermost->spent += bytes;
}

bool isWorkSpent() { return innermost && innermost->isSpent(); }

void refuseDepth() {
  if (innermost)
    innermost->tooDeep = true;
}

Descent::Descent() : ends(++depth > maxValueDepth || isWorkSpent()) {
  spend(visitCost);
  if (depth > maxValueDepth)
    refuseDepth();
}

Descent::~Descent() { --depth; }

WorkMark::WorkMark() : innermost(sema::innermost), depth(sema::depth) {}

void WorkMark::goBack() const {
  sema::innermost = innermost;
  sema::depth = depth;
}

} // namespace gluonc::sema
