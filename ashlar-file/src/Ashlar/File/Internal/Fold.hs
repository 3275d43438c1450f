{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.File.Internal.Fold
-- Description : The records of a file, in order
module Ashlar.File.Internal.Fold
  ( Outcome (..),
    Fold (..),
    begin,
    foldOn,
    Place,
    Progress (..),
    foldBlock,
  )
where

import Ashlar.File.Internal.After
import Ashlar.File.Internal.Damage
import Ashlar.File.Internal.Input
import Ashlar.File.Internal.Joined
import Ashlar.File.Internal.Layout
import Ashlar.File.Internal.Open
import Ashlar.File.Internal.Options
import Ashlar.File.Internal.Records
import Ashlar.File.Internal.Scan
import Control.Exception (SomeException (..), throwIO)
import Control.Monad (unless)
import qualified Data.ByteString as S
import Data.Int (Int64)
import qualified Data.List as List

-- | How a fold of a file ended. Each case has the number of the next record.
data Outcome c b
  = -- | The file ended after a whole block. The accumulator.
    Ended !Int64 b
  | -- | The action stopped it after a record, with this result.
    Stopped !Int64 c
  | -- | The accumulator up to the damage, and the damage.
    Damaged !Int64 b Damage
  deriving stock (Eq, Show)

-- | A fold: how to read records, and the user's action.
data Fold a c b = Fold
  { foldHow :: !(Reading a),
    foldStep :: b -> a -> IO (Either c b)
  }

-- What became of the records of a block.
data Scanned c b
  = Went b
  | -- The number of the next record, and the result.
    Halted !Int64 c
  | -- The number of the next record, the accumulator before it, and why it cannot be read.
    Broke !Int64 b Cause

-- | A place between two blocks: the file, the schema of its last block, the same for files that
-- reading may return to, and the position in the file.
data Place a = Place !(Opened a) !(Schemas a) [(Opened a, Schemas a)] !Position

-- | Begin a fold. It reports what was wrong with the header.
begin ::
  Fold a c b ->
  -- | The first file.
  Opened a ->
  -- | The file that has the first record, and where to begin in it.
  Maybe (Scan, Position, Position) ->
  b ->
  IO (Progress a c b)
begin (Fold reading _) opened located b = do
  mapM_ (reporting reading) (openedLost opened)
  let first = Place opened (openedSchemas opened) []
  case located of
    Nothing -> pure (Onward (first (openedStart opened)) b)
    Just (scan, start, pos)
      | isSameFile scan (openedScan opened) -> pure (Onward (first pos) b)
      | otherwise -> do
        entered <- inOther reading (first start) Nothing scan start b
        pure $ case entered of
          Onward (Place o schemas outer _) b'
            | isSameFile scan (openedScan o) -> Onward (Place o schemas outer pos) b'
          _ -> entered

-- The loss is forced, so that an action that keeps it does not keep the block.
reporting :: Reading a -> Lost -> IO ()
reporting reading !lost = maybe (pure ()) (\act -> act lost) (readResync (readingOptions reading))

-- | What became of a fold.
data Progress a c b
  = Done (Outcome c b)
  | Onward !(Place a) b

-- | Fold all records that follow.
foldOn :: Fold a c b -> Progress a c b -> IO (Outcome c b)
foldOn fold so = case so of
  Done outcome -> pure outcome
  Onward place acc -> foldBlock fold place acc >>= foldOn fold

-- | The end of the fold, unless the file is no longer the one that was opened.
ended :: Scan -> Position -> b -> IO (Progress a c b)
ended scan pos acc = do
  same <- inputSame (scanInput scan) (offsetIn scan (posSettled pos))
  let record = recordIn scan (posRecord pos)
  pure . Done $
    if same
      then Ended record acc
      else Damaged record acc (damageIn scan pos (posRecord pos) Replaced)

-- | Go on in another file, perhaps because of damage. If it cannot be read, that is damage, too.
inOther ::
  Reading a -> Place a -> Maybe Damage -> Scan -> Position -> b -> IO (Progress a c b)
inOther reading (Place opened schemas0 outer _) = go
  where
    go why scan pos acc = case List.find (isSameFile scan . openedScan . fst) places of
      -- Reading returns from a file that a record of this one may contain.
      Just (o, schemas) -> do
        report
        pure (Onward (Place o {openedScan = scan} schemas places pos) acc)
      Nothing -> case openFile reading scan pos of
        Right o -> report >> pure (Onward (Place o (openedSchemas o) places pos) acc)
        Left cause -> do
          (n, next) <- restOf scan pos
          let other = OtherFile (scanHeader scan) n (causeText cause)
              damage = damageIn scan pos {posOffset = 0} 0 (AnotherFile other)
          case readResync (readingOptions reading) of
            Nothing -> pure (Done (Damaged (recordIn scan 0) acc damage))
            Just _ -> do
              report
              case next of
                NextEnd end -> do
                  reporting reading (Lost damage (offsetIn scan end) Nothing False)
                  ended scan pos {posOffset = end, posRecord = n} acc
                Next scan' pos' -> go (Just damage) scan' pos' acc
      where
        report = mapM_ (\damage -> reporting reading (goingOn damage True scan pos)) why
        places = List.filter mayReturn ((opened, schemas0) : outer)
        mayReturn (o, _) =
          isSameFile (openedScan o) scan
            || List.any (isSameFile (openedScan o) . fst) (scanOuter scan)

-- | Fold the records of a block.
foldBlock :: Fold a c b -> Place a -> b -> IO (Progress a c b)
foldBlock (Fold reading f) place@(Place opened schemas0 outer pos0) b = do
  step <- nextBlock scan pos0
  case step of
    StepEnd -> ended scan pos0 b
    StepFile scan' pos -> inOther reading place Nothing scan' pos b
    StepDamaged cause resume -> case readResync options of
      Just _ -> do
        found <- blockOrAfter scan pos0 cause resume
        case found of
          Left (block, next) -> inBlock (blockHeader block) block next
          Right next -> damaged b cause (posRecord pos0) next schemas0
      Nothing
        | onlyTail cause -> do
          next <- passOver scan pos0 resume
          case next of
            Next scan' _ | not (isSameFile scan scan') -> pure (Done (damagedAt b cause))
            _ -> ended scan pos0 b
        | otherwise -> pure (Done (damagedAt b cause))
    StepBlock block next -> inBlock (blockHeader block) block next
  where
    options = readingOptions reading
    scan = openedScan opened
    from = readFrom options

    inBlock h block next = case blockKind h of
      Records
        | recordIn scan (posRecord next) <= from -> pure (Onward (onward schemas0 next) b)
        | otherwise -> do
          (schemas, getter) <- getterOf reading scan schemas0 (posOffset pos0) h
          case getter of
            Left cause@(WrongType _) ->
              pure (Done (Damaged first b (damageAt (blockFirst h) cause)))
            Left cause -> damaged b cause (blockFirst h) (onwards next) schemas
            Right decode -> do
              scanned <- records decode h (blockBody block)
              case scanned of
                Went b' -> pure (Onward (onward schemas next) b')
                Halted n c -> pure (Done (Stopped n c))
                Broke n b' cause ->
                  damaged b' cause (n - scanBefore scan) (onwards next) schemas
      Schema ->
        let schemas =
              withSchema
                reading
                -- (Not its position: bytes before it may have been lost.)
                (blockOffset h)
                (posOffset next)
                (blockFingerprint h)
                (blockBody block)
         in pure (Onward (onward schemas next) b)
      _ -> pure (Onward (onward schemas0 next) b)
      where
        first = blockRecord block

    onward schemas = Place opened schemas outer
    onwards next = Next scan next {posGap = True}

    damageAt = damageIn scan pos0

    damagedAt acc cause =
      Damaged (recordIn scan (posRecord pos0)) acc (damageAt (posRecord pos0) cause)

    -- Is it a tail that may be cut off? Nothing must follow it.
    onlyTail cause = case cause of
      Truncated _ _ -> not (readWholeTail options)
      TruncatedHeader _ _ -> not (readWholeTail options)
      _ -> False

    -- Report damage and go on, or stop. The number is that of a record of this file.
    damaged acc cause record next schemas
      | Nothing <- readResync options = pure (Done (Damaged (recordIn scan record) acc damage))
      | otherwise = case next of
        NextEnd end -> do
          unless (onlyTail cause) $
            reporting reading (Lost damage (offsetIn scan end) Nothing False)
          -- A tail that is cut off is no part of the file, which may be continued before it.
          let known = if onlyTail cause then posOffset pos0 else end
          ended scan pos0 {posOffset = known, posRecord = record} acc
        Next scan' pos
          | isSameFile scan scan' -> do
            reporting reading (goingOn damage False scan' pos)
            pure (Onward (Place opened schemas outer pos) acc)
          | otherwise -> inOther reading place (Just damage) scan' pos acc
      where
        damage = damageAt record cause

    records decode h body = do
      expansion <- expanded (openedCompression opened) (readExpansionLimit options) h body
      case expansion of
        Left cause -> pure (Broke (recordIn scan (blockFirst h)) b cause)
        Right bytes ->
          go (recordIn scan (blockFirst h)) b (recordsOf decode (blockCount h) bytes)

    go n !acc found =
      found >>= \records' -> case records' of
        Some k xs more -> each n xs acc (\acc' -> go (n + fromIntegral k) acc' more)
        Refused e _ more
          | n < from, Just rest <- more -> go (n + 1) acc rest
          | Just report <- readResync options,
            Just rest <- more -> do
            let damage = damageAt (n - scanBefore scan) (BadRecord e)
            report $! Lost damage (offsetIn scan (posOffset pos0)) (Just (n + 1)) False
            go (n + 1) acc rest
          | otherwise -> pure (Broke n acc (BadRecord e))
        Threw (SomeException e) more
          | n < from, Just rest <- more -> go (n + 1) acc rest
          | otherwise -> throwIO e
        NoMore rest -> pure (if S.null rest then Went acc else Broke n acc WrongCount)

    each !n xs !acc next = case xs of
      [] -> next acc
      x : rest
        | n < from -> each (n + 1) rest acc next
        | otherwise -> do
          r <- f acc x
          case r of
            Left c -> pure (Halted (n + 1) c)
            Right acc' -> each (n + 1) rest acc' next
