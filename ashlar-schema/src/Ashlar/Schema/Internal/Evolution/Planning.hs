{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Planning
-- Description : Procedures that are to be planned
--
-- Note [Planning untrusted schemas]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- An old schema may come with the data, so it is untrusted. Each pair of definitions becomes a
-- procedure once, from a queue, so planning takes time in proportion to the pairs and no stack.
-- Their fields are counted against 'mostWork', and so is what is tried for a conversion, whether it
-- fits or not. Only a schema that is made to reach this limit does.
module Ashlar.Schema.Internal.Evolution.Planning
  ( -- * What is planned
    Unknown (..),
    Mode (..),
    Wrapping (..),
    free,
    Key (..),
    Path,
    Segment (..),
    pathText,

    -- * Planning
    Plan (..),
    Work (..),
    startWork,
    mostWork,
    bad,
    badSaying,
    converting,
    insteadOf,
    unread,
    unreadAt,
    call,
    spendWork,
  )
where

import Ashlar.Schema.Internal.Evolution.Mismatch
import Ashlar.Schema.Internal.Evolution.Op
import Ashlar.Schema.Internal.Types
import Control.Applicative ((<|>))
import Data.Bifunctor (first)
import qualified Data.IntMap.Strict as IM
import qualified Data.List as List
import qualified Data.Map.Strict as M
import Data.Maybe (listToMaybe)
import Data.Text (Text)
import qualified Data.Text as T

-- | What becomes of fields and constructors of the data that neither the type nor its evolution
-- names.
data Unknown
  = -- | Planning fails.
    RefuseUnknown
  | -- | Fields are skipped. Constructors are refused.
    SkipFields
  | -- | Fields are skipped. Values with such a constructor fail.
    SkipUnknown
  deriving stock (Eq, Show)

-- | Where the values are that a program translates.
data Mode
  = Anywhere
  | -- | In a key, whose order must not change.
    InKey
  deriving stock (Eq, Ord)

-- | What may be wrapped around the old value where the shapes do not match.
data Wrapping = Wrapping {_wrapMaybe :: !Bool, _wrapList :: !Bool}
  deriving stock (Eq, Ord)

-- | A procedure.
data Key
  = -- | An old definition and a new one.
    Pair !Mode !Int !Int
  | -- | An old shape, and a new newtype that is recursive by way of newtypes only.
    Wrapped !Mode !Wrapping !Shape !Int
  | -- | An old definition that is left out.
    Dropping !Int
  | -- | The same for a packed value of an old shape.
    DroppingPacked !Shape
  deriving stock (Eq, Ord)

-- | The state of planning.
data Work = Work
  { workKeys :: !(M.Map Key Int),
    workQueue :: ![(Int, Key, Path)],
    workDone :: !(IM.IntMap [Op]),
    -- | Fields that no conversion reads, with their names and why. Procedures for them may fail
    -- later.
    workUnread :: ![(Path, (Text, Mismatch))],
    -- | How much more may be done.
    workLeft :: !Int
  }

-- | The path in the new schema, the last segment first.
type Path = [Segment]

-- | A part of a path, as it is shown.
data Segment
  = Segment Text
  | -- | A field for which there may be conversions: the type, and the name of the field in its
    -- evolution.
    Place Text Text Text
  deriving stock (Eq)

-- | A path as it is shown.
pathText :: Path -> Text
pathText = T.concat . map shown . reverse
  where
    shown segment = case segment of
      Segment t -> t
      Place t _ _ -> t

-- | A step of planning. If it fails, it says how much more may be done, because what does not fit
-- may be converted.
newtype Plan a = Plan (Work -> Either (Mismatch, Int) (a, Work))

instance Functor Plan where
  fmap f (Plan g) = Plan $ \w -> case g w of
    Left m -> Left m
    Right (a, w') -> Right (f a, w')

instance Applicative Plan where
  pure a = Plan (\w -> Right (a, w))
  Plan f <*> Plan g = Plan $ \w -> case f w of
    Left m -> Left m
    Right (h, w') -> case g w' of
      Left m -> Left m
      Right (a, w'') -> Right (h a, w'')

instance Monad Plan where
  Plan f >>= k = Plan $ \w -> case f w of
    Left m -> Left m
    Right (a, w') -> let Plan g = k a in g w'

-- | How many fields and constructors may be compared: Note [Planning untrusted schemas].
mostWork :: Int
mostWork = 10000000

-- | Fail at a path. What has changed into something else can be converted, in the innermost field
-- that allows it.
bad :: Path -> Misfit -> Plan a
bad path what = badSaying path what $ case what of
  NotDescribed _ -> Nothing
  IsIrregular _ -> Nothing
  HasNoValues -> Nothing
  TooLarge -> Nothing
  _ -> Just (converting path)

-- | Fail at a path, with this advice.
badSaying :: Path -> Misfit -> Maybe Advice -> Plan a
badSaying path what advice =
  Plan (\w -> Left (Mismatch (pathText path) what advice, workLeft w))

-- | Convert the value around this path.
converting :: Path -> Advice
converting path = case [InEvolutionOf t [SayConverted n] | Place _ t n <- path] of
  advice : _ -> advice
  [] -> AroundAll

-- | Replace the mismatch of a plan that fails because the value at this path cannot become another
-- one. The plan compares what is inside of a wrapping. The new mismatch names the shapes around it.
insteadOf :: Path -> Misfit -> Plan a -> Plan a
insteadOf path what (Plan f) = Plan $ \w -> case f w of
  Left (m@(Mismatch at (CannotBecome _ _) _), left)
    | at == pathText path -> Left (m {mismatchWhat = what}, left)
  result -> result

-- | The plan for a value that no conversion reads, given the name of its field, and the mismatch of
-- each conversion. If the plan fails, now or in a procedure, one of these is the mismatch.
unread :: Path -> Text -> [Mismatch] -> Plan a -> Plan a
unread path name whys (Plan f) = case List.find (fitsInPart path) whys <|> listToMaybe whys of
  Nothing -> Plan f
  Just why -> Plan $ \w ->
    let known = (path, (name, why))
     in first (first (inConversion known)) (f w {workUnread = known : workUnread w})

-- | The mismatch of a procedure that failed, given its path. The innermost field that no conversion
-- reads decides.
unreadAt :: Path -> [(Path, (Text, Mismatch))] -> Mismatch -> Mismatch
unreadAt path found m = case [k | p <- List.tails path, k@(q, _) <- found, q == p] of
  known : _ -> inConversion known m
  [] -> m

-- A mismatch, or that of a conversion in place of it. What fits in part is most like the data. (Too
-- much work stays what it is.)
inConversion :: (Path, (Text, Mismatch)) -> Mismatch -> Mismatch
inConversion (path, (name, why)) m = case mismatchWhat m of
  TooLarge -> m
  InConversion _ _ -> m
  _
    | fitsInPart path m && not (fitsInPart path why) -> m
    | otherwise -> why {mismatchWhat = InConversion name (mismatchWhat why)}

-- Is a mismatch about a part of the value at this path?
fitsInPart :: Path -> Mismatch -> Bool
fitsInPart path m = case mismatchWhat m of
  CannotBecome _ _ -> mismatchPath m /= pathText path
  _ -> True

-- | Anything may be wrapped.
free :: Wrapping
free = Wrapping True True

-- | The state before planning, given how much may be done.
startWork :: Int -> Work
startWork = Work M.empty [] IM.empty []

-- | A call of a procedure. It is put into the queue, unless it has been before.
call :: Path -> Key -> Plan [Op]
call path key = Plan $ \w -> case M.lookup key (workKeys w) of
  Just number -> Right ([Call False number], w)
  Nothing ->
    let count = M.size (workKeys w)
        number = case key of
          Dropping _ -> -1 - count
          DroppingPacked _ -> -1 - count
          _ -> count
     in Right
          ( [Call False number],
            w
              { workKeys = M.insert key number (workKeys w),
                workQueue = (number, key, path) : workQueue w
              }
          )

-- | Count fields and constructors, given their number.
spendWork :: Path -> Int -> Plan ()
spendWork path n = Plan $ \w ->
  if n > workLeft w
    then Left (Mismatch (pathText path) TooLarge Nothing, 0)
    else Right ((), w {workLeft = workLeft w - n})
