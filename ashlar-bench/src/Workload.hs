{-# LANGUAGE PatternSynonyms #-}

-- |
-- Module      : Workload
-- Description : The same work, done by several libraries
module Workload
  ( Workload
      ( Workload,
        workloadName,
        workloadRuns,
        workloadSize,
        workloadPicture,
        workloadWrong,
        workloadOutputs,
        workloadZlib
      ),
    Size (..),
    same,
    items,
    bytesOfText,
    curve,
    boxes,
    bars,
    outputs,
    apply,
    applyIO,
  )
where

import Control.Exception (evaluate)
import Results (Picture (..), Size (..))

-- | The same work, done by several libraries. The first is ours.
data Workload = Measured
  { workloadName :: String,
    workloadRuns :: [(String, IO ())],
    -- | For figures beside the time.
    workloadSize :: Size,
    workloadPicture :: Picture,
    -- | The libraries whose results differ from ours. Nothing is measured then.
    workloadWrong :: [String],
    -- | The bytes of the outputs that may differ.
    workloadOutputs :: [(String, Int)],
    -- | The same compressed.
    workloadZlib :: [(String, Int)]
  }

-- | Work of which only the time is of interest.
pattern Workload :: String -> [(String, IO ())] -> Workload
pattern Workload name runs <-
  Measured name runs _ _ _ _ _
  where
    Workload name runs = Measured name runs Unknown Row [] [] []

{-# COMPLETE Workload #-}

-- | Functions whose results must be equal.
same :: Eq b => String -> [(String, a -> b)] -> a -> Workload
same name functions x =
  (Workload name [(library, apply f x) | (library, f) <- functions])
    { workloadWrong =
        [ library
          | (_, ours) <- take 1 functions,
            (library, f) <- drop 1 functions,
            f x /= ours x
        ]
    }
{-# INLINE same #-}

-- | Work on a number of values.
items :: Int -> Workload -> Workload
items n w = w {workloadSize = Items n}

-- | Work that makes or takes a number of bytes.
bytesOfText :: Int -> Workload -> Workload
bytesOfText n w = w {workloadSize = Bytes n}

-- | A point of curves: their title, what their x axis is, and x.
curve :: String -> String -> Int -> Workload -> Workload
curve title axis x w = w {workloadPicture = Curve title axis (fromIntegral x)}

-- | The same, and a group of boxes.
boxes :: String -> String -> Int -> Workload -> Workload
boxes title axis x w = w {workloadPicture = Boxes title axis (fromIntegral x)}

-- | Work with a bar for each library.
bars :: Workload -> Workload
bars w = w {workloadPicture = Bars}

-- | The bytes of each library's output, which are of interest themselves.
outputs :: [(String, Int)] -> Workload -> Workload
outputs sizes w = w {workloadOutputs = sizes}

-- | Apply a function to an argument that the compiler does not know.
apply :: (a -> b) -> a -> IO ()
apply f x = () <$ (evaluate $! f x)
{-# NOINLINE apply #-}

-- | Run an action on an argument that the compiler does not know. Each run applies the function
-- again: nothing of the action is kept.
applyIO :: (a -> IO ()) -> a -> IO ()
applyIO f x = pure () >>= \() -> f x
{-# NOINLINE applyIO #-}
